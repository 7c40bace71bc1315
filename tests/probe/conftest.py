"""A small world to measure: a packed set whose images show their attributes, an untrained encoder, a plan."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
import yaml

from protofair.core.entries import Plan
from protofair.objectives import build_encoder

torch.set_num_threads(1)  # the networks are tiny: threads would only wait for each other

WARMUP = {"data": "tiny", "encoder": {"name": "resnet-narrow"}, "optimiser": {"lr": 0.1}, "epochs": 3, "keep": [3]}
SIZES = {"train": 160, "val": 60, "test": 80}


def write_packed(path: Path) -> None:
    """Images [300, 8, 8, 3] of noise: `Smiling` makes them redder, `Male` greener, `race` bluer."""
    random = np.random.default_rng(0)
    n = sum(SIZES.values())
    male = random.integers(0, 2, n)
    smiling = (random.random(n) < np.where(male, 0.3, 0.7)).astype(int)
    race = random.choice([0, 1, 4], n)
    shift = np.stack([60 * smiling, 60 * male, 20 * race], axis=1)
    images = random.normal(80, 40, size=(n, 8, 8, 3)) + shift[:, None, None, :]
    path.mkdir(parents=True)
    np.save(path / "images.npy", images.clip(0, 255).astype(np.uint8))
    labels = {
        "id": [f"{i:06d}.jpg" for i in range(n)],
        "split": random.permutation(np.repeat(list(SIZES), list(SIZES.values()))),
        "Smiling": smiling,
        "Male": male,
        "race": race,
        "age": random.integers(1, 90, n),
        "always": np.ones(n, dtype=int),
    }
    pd.DataFrame(labels).to_csv(path / "labels.csv", index=False)
    (path / "manifest.json").write_text(json.dumps({"dataset": "tiny"}))


def write_checkpoint(path: Path) -> None:
    """An untrained encoder in the format of a training stage."""
    torch.manual_seed(0)
    manifest = hashlib.sha256(Path("data/packed/tiny/manifest.json").read_bytes()).hexdigest()
    config = {"stage": "warmup", "warmup": WARMUP, "manifest": manifest}
    content = {
        "format": 1,
        "config": json.dumps(config),
        "epoch": 3,
        "encoder": build_encoder("resnet-narrow").state_dict(),
        "objective": {},
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save(content, path)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder: data/packed/tiny and a checkpoint of epoch 3 of the warm-up `base`."""
    monkeypatch.chdir(tmp_path)
    write_packed(Path("data/packed/tiny"))
    write_checkpoint(Path("results/demo/warmup/base/checkpoints/epoch-003.pt"))
    return tmp_path


@pytest.fixture
def entry() -> dict[str, Any]:
    """An entry of the plan's probe stage that is quick."""
    return {
        "checkpoint": {"stage": "warmup", "key": "base", "epoch": 3},
        "data": "tiny",
        "tasks": [{"target": "Smiling", "sensitive": "Male"}, {"target": "Smiling", "sensitive": "race"}],
        "epochs": 3,
        "bootstrap": 30,
    }


@pytest.fixture
def write_plan(world: Path) -> Callable[..., Plan]:
    """Write params/plan.yaml with the given stages beside the warm-up `base`, and read it."""

    def write(**stages: Any) -> Plan:
        path = Path("params/plan.yaml")
        path.parent.mkdir(exist_ok=True)
        path.write_text(yaml.safe_dump({"suite": "demo", "warmup": {"base": WARMUP}, **stages}))
        return Plan.read(path)

    return write
