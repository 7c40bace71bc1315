"""The frozen encoder of a checkpoint, and nothing else of it."""

import hashlib
import json
import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from protofair.errors import UserError
from protofair.objectives import Encoder, EncoderConfig, build_encoder
from protofair.probe.config import Checkpoint
from protofair.strict import parse

FORMAT = 1


@dataclass(frozen=True)
class Trained:
    """An encoder in evaluation mode, the configuration it was trained with, its file and that file's hash."""

    encoder: Encoder
    config: dict[str, Any]
    path: Path
    sha256: str


def checkpoint_path(suite: str, checkpoint: Checkpoint) -> Path:
    folder = Path("results", suite, checkpoint.stage, checkpoint.key, "checkpoints")
    return folder / f"epoch-{checkpoint.epoch:03d}.pt"


def load_encoder(path: Path, checkpoint: Checkpoint) -> Trained:
    """Read a checkpoint; one that is missing, damaged or of another kind is a `UserError` with the remedy."""
    command = f"protofair {checkpoint.stage} {checkpoint.key}"
    again = f"Delete it and train again: {command}"
    if not path.is_file():
        kept = ", ".join(sorted(file.name for file in path.parent.glob("*.pt")))
        instead = f"Ask for one that was kept ({kept}), or train with it in `keep`" if kept else "Train it"
        raise UserError(f"{path}: no such checkpoint. {instead}: {command}")
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except (RuntimeError, EOFError, ValueError, KeyError, pickle.UnpicklingError):
        raise UserError(f"{path}: damaged, or not a checkpoint. {again}") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        found = content.get("format") if isinstance(content, dict) else type(content).__name__
        raise UserError(f"{path}: format: expected {FORMAT}, found {found}. {again}")
    try:
        config = json.loads(content["config"])
        weights = content["encoder"]
        named = config["encoder"] if "encoder" in config else config["warmup"]["encoder"]
    except (KeyError, TypeError, ValueError):
        raise UserError(f"{path}: holds no encoder with its configuration. {again}") from None
    name = parse(EncoderConfig, named, where=f"{path}: config.encoder").name
    encoder = build_encoder(name)
    try:
        encoder.load_state_dict(weights)
    except (RuntimeError, TypeError):
        raise UserError(f"{path}: encoder: not the weights of a '{name}'. {again}") from None
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    return Trained(encoder.eval().requires_grad_(False), config, path, sha256)
