"""The frozen encoder of a checkpoint, and nothing else of it."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from protofair.core.archive import load_archive
from protofair.core.entries import Plan
from protofair.core.errors import UserError
from protofair.core.strict import parse
from protofair.objectives import Encoder, EncoderConfig, build_encoder
from protofair.probe.config import Checkpoint
from protofair.probe.differences import differences

FORMAT = 1


@dataclass(frozen=True)
class Trained:
    """An encoder in evaluation mode, the configuration it was trained with, its file and that file's hash.

    Of a method that trains a classifier of its own on the encoder's features, that and the attribute it predicts.
    """

    encoder: Encoder
    config: dict[str, Any]
    path: Path
    sha256: str
    classifier: nn.Linear | None = None
    target: str | None = None

    @property
    def training(self) -> dict[str, Any]:
        """The entry that says what was trained on which data."""
        entry: dict[str, Any] = self.config[_trained_by(self.config)]
        return entry


def _trained_by(config: dict[str, Any]) -> str:
    """The stage whose entry says so: of a fair phase it is the warm-up before it."""
    return "baseline" if "baseline" in config else "warmup"


def load_encoder(plan: Plan, checkpoint: Checkpoint) -> Trained:
    """Read a checkpoint; one that is missing, damaged or not the one planned is a `UserError` with the remedy."""
    path = plan.folder(checkpoint.stage, checkpoint.key) / "checkpoints" / f"epoch-{checkpoint.epoch:03d}.pt"
    train = f"protofair {checkpoint.stage} {checkpoint.key}"
    if not path.is_file():
        kept = ", ".join(sorted(file.name for file in path.parent.glob("*.pt")))
        instead = f"Ask for one that was kept ({kept}), or put its epoch into `keep` and train" if kept else "Train it"
        raise UserError(f"{path}: no such checkpoint. {instead}: {train}")

    def refuse(problem: str) -> UserError:
        return UserError(f"{path}: {problem}. Delete it and train again: {train}")

    raw = path.read_bytes()
    try:
        content = load_archive(raw)
    except Exception:  # torch has many for a file that is cut off or none of its own
        raise refuse("damaged, or not a checkpoint") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        found = content.get("format") if isinstance(content, dict) else type(content).__name__
        raise refuse(f"format: expected {FORMAT}, found {found}")
    try:
        config, weights, epoch = json.loads(content["config"]), content["encoder"], content["epoch"]
        stage = _trained_by(config)
        entry = config[stage]
        named, learned = entry["encoder"], entry.get("method") or entry.get("objective") or {}
    except (KeyError, TypeError, ValueError):
        raise refuse("holds no encoder with its configuration") from None
    if epoch != checkpoint.epoch:
        raise refuse(f"holds epoch {epoch}")
    if checkpoint.stage != "select" and config.get("stage") != checkpoint.stage:  # a selection is a copy of its choice
        raise refuse(f"trained by the stage '{config.get('stage')}'")
    for difference in differences(plan, checkpoint.stage, checkpoint.key, config):
        raise refuse(f"trained with another configuration: {difference}")
    encoder = build_encoder(parse(EncoderConfig, named, where=f"{path}: config.{stage}.encoder").name)
    try:
        encoder.load_state_dict(weights)
    except (RuntimeError, TypeError):
        raise refuse(f"encoder: not the weights of a '{named['name']}'") from None
    try:
        classifier = _classifier(content["classifier"]) if "classifier" in content else None
    except (KeyError, RuntimeError, TypeError, ValueError):
        raise refuse("classifier: not the weights of one") from None
    sha256 = hashlib.sha256(raw).hexdigest()
    return Trained(encoder.eval().requires_grad_(False), config, path, sha256, classifier, learned.get("target"))


def _classifier(weights: dict[str, torch.Tensor]) -> nn.Linear:
    """The method's own classifier [C, d]."""
    classes, dim = weights["weight"].shape
    classifier = nn.Linear(dim, classes)
    classifier.load_state_dict(weights)
    return classifier.requires_grad_(False)
