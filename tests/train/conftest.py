"""Tiny packed sets, and the plan entries to train on them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from protofair.packed import Packed

SIZE = 16


def write_packed(path: Path, *, n: int = 48, channels: int = 3, seed: int = 0) -> Packed:
    """n training images of noise, brighter where `Smiling`, redder where `Male`; 8 each for validation and test."""
    rng = np.random.default_rng(seed)
    total = n + 16
    smiling, male = rng.integers(0, 2, total), rng.integers(0, 2, total)
    images = rng.integers(0, 120, (total, SIZE, SIZE, channels))
    images += 60 * smiling[:, None, None, None]
    images[..., 0] += 60 * male[:, None, None]
    path.mkdir(parents=True)
    np.save(path / "images.npy", images.astype(np.uint8))
    labels = {"id": [f"{i:06d}.jpg" for i in range(total)], "split": ["train"] * n + ["val"] * 8 + ["test"] * 8}
    # Rows of the splits are mixed: the training set is not simply the first n.
    frame = pd.DataFrame({**labels, "Smiling": smiling, "Male": male, "Same": 1, "age": rng.integers(1, 90, total)})
    frame["split"] = rng.permutation(frame["split"].to_numpy())
    frame.to_csv(path / "labels.csv", index=False)
    (path / "manifest.json").write_text(json.dumps({"dataset": "noise", "seed": seed, "n": n}))
    return Packed.open(path)


@pytest.fixture
def packed(tmp_path: Path) -> Packed:
    return write_packed(tmp_path / "data" / "packed" / "noise")


def warmup_entry(**changes: Any) -> dict[str, Any]:
    """A warm-up of three epochs of three steps, in a second."""
    entry: dict[str, Any] = {
        "data": "noise",
        "objective": {"name": "supcon", "target": "Smiling"},
        "encoder": {"name": "resnet-narrow"},
        "optimiser": {"lr": 0.05, "batch_size": 16},
        "epochs": 3,
        "keep": [1, 3],
        "seed": 0,
    }
    return entry | changes


def fair_entry(**changes: Any) -> dict[str, Any]:
    """Its continuation from the first epoch, for two."""
    entry: dict[str, Any] = {
        "warmup": "w",
        "from_epoch": 1,
        "epochs": 2,
        "sensitive": "Male",
        "num_prototypes": 3,
        "queue_batches": 2,
        "reinit_every": 1,
    }
    return entry | changes
