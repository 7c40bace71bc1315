"""What a measurement reads: a trained encoder and a packed set, and the record of both for its output."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from protofair.core.entries import Plan
from protofair.core.errors import UserError
from protofair.core.packed import Packed
from protofair.probe.checkpoint import Trained, load_encoder
from protofair.probe.config import Checkpoint
from protofair.probe.features import Transform, choose_device, encode


@dataclass(frozen=True)
class Inputs:
    """An encoder on the device that encodes, a packed set, and the hash of the set's manifest."""

    trained: Trained
    packed: Packed
    manifest_sha256: str
    device: torch.device

    def features(self, rows: NDArray[np.int64], *, transform: Transform | None = None) -> Tensor:
        """Features [n, d] of some images; those of an encoder that diverged are a `UserError`."""
        features = encode(self.trained.encoder, self.packed.images, rows, transform=transform)
        if not bool(features.isfinite().all()):
            raise UserError(f"{self.trained.path}: encoder: gives features that are not finite. Train it anew.")
        return features

    def hashes(self) -> dict[str, str]:
        """By file; the manifest in turn has the hashes of the packed images and labels."""
        manifest = self.packed.path / "manifest.json"
        return {self.trained.path.as_posix(): self.trained.sha256, manifest.as_posix(): self.manifest_sha256}


def open_inputs(plan: Plan, *, checkpoint: Checkpoint, data: str) -> Inputs:
    """Open both, relative to the working folder; what is wrong with them is a `UserError`."""
    packed = Packed.open(Path("data", "packed", data))
    manifest = hashlib.sha256((packed.path / "manifest.json").read_bytes()).hexdigest()
    trained = load_encoder(plan, checkpoint)
    if trained.training.get("data") == data and trained.config.get("manifest") != manifest:
        # Else images it was trained on could stand in the test set.
        raise UserError(
            f"{trained.path}: trained on another version of {packed.path} than there is now."
            f" Train again: protofair {checkpoint.stage} {checkpoint.key}"
        )
    device = choose_device()
    trained.encoder.to(device)
    if trained.classifier is not None:
        trained.classifier.to(device)
    return Inputs(trained, packed, manifest, device)
