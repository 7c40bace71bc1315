"""What a measurement reads: a trained encoder and a packed set, and the record of both for its output."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from protofair.errors import UserError
from protofair.packed import Packed
from protofair.probe.checkpoint import Trained, checkpoint_path, load_encoder
from protofair.probe.config import Checkpoint
from protofair.probe.features import Transform, choose_device, encode


@dataclass(frozen=True)
class Inputs:
    trained: Trained
    packed: Packed
    device: torch.device

    def features(self, rows: NDArray[np.int64], *, transform: Transform | None = None) -> Tensor:
        """Features [n, d] of some images; those of an encoder that diverged are a `UserError`."""
        features = encode(self.trained.encoder, self.packed.images, rows, transform=transform)
        if not bool(features.isfinite().all()):
            raise UserError(f"{self.trained.path}: encoder: gives features that are not finite. Train it anew.")
        return features

    def record(self) -> dict[str, Any]:
        """Names and hashes; the manifest in turn holds the hashes of the packed images and labels."""
        manifest = self.packed.path / "manifest.json"
        return {
            "checkpoint": {"path": self.trained.path.as_posix(), "sha256": self.trained.sha256},
            "manifest": {"path": manifest.as_posix(), "sha256": hashlib.sha256(manifest.read_bytes()).hexdigest()},
        }


def open_inputs(suite: str, *, checkpoint: Checkpoint, data: str) -> Inputs:
    """Open both, relative to the working folder; what is wrong with one is a `UserError`."""
    packed = Packed.open(Path("data", "packed", data))
    trained = load_encoder(checkpoint_path(suite, checkpoint), checkpoint)
    device = choose_device()
    trained.encoder.to(device)
    return Inputs(trained, packed, device)
