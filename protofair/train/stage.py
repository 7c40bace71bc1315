"""A training stage: from a valid entry to its outputs."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from protofair.environment import environment
from protofair.errors import UserError
from protofair.packed import Packed
from protofair.strict import did_you_mean
from protofair.train.batches import TrainingSet
from protofair.train.checkpoint import ROOT, Checkpoints
from protofair.train.config import Fair, Warmup
from protofair.train.device import make_deterministic, training_device
from protofair.train.entries import Plan, packed_folder
from protofair.train.estimate import refuse_long_run
from protofair.train.identity import code_hash, file_hash, run_hash
from protofair.train.loop import Loop
from protofair.train.outputs import publish
from protofair.train.progress import Progress
from protofair.train.trainer import Trainer


@dataclass(frozen=True)
class Options:
    """How to run, as against what: of these only `deterministic` can change a result, and that in its last bits."""

    on_cpu: bool = False
    save_epochs: int = 1
    save_minutes: float = 10.0
    deterministic: bool = True


@dataclass(frozen=True)
class Start:
    """The kept checkpoint of a warm-up that a fair phase continues."""

    path: Path
    content: dict[str, Any]


def train(
    plan: Plan, key: str, options: Options, *, warmup: Warmup, fair: Fair | None = None, start: Start | None = None
) -> Path:
    """Train an entry, or go on with it, then publish its outputs; returns their folder."""
    stage = "warmup" if fair is None else "fair"
    manifest = packed_folder(warmup.data) / "manifest.json"
    images = _training_set(Packed.open(manifest.parent), plan.where(stage, key), warmup, fair)
    device = training_device()
    if options.deterministic:
        make_deterministic()
    if device.type == "cpu" and not options.on_cpu:
        epochs = warmup.epochs if fair is None else fair.epochs
        refuse_long_run(warmup, size=images.packed.images.shape[1:3], images=len(images), epochs=epochs)
    config = {"stage": stage, "warmup": warmup.model_dump(mode="json"), "manifest": file_hash(manifest)}
    if fair is not None:
        config["fair"] = fair.model_dump(mode="json")
    inputs = {str(path): file_hash(path) for path in ([manifest, start.path] if start else [manifest])}
    folder, code = plan.folder(stage, key), code_hash()
    checkpoints = Checkpoints(ROOT / run_hash({"output": str(folder), **config}, inputs=inputs, code=code))
    with checkpoints.locked():
        trainer = Trainer(warmup, images, device, fair)
        if start is not None:
            trainer.continue_from(start.content)
        loop = Loop(
            trainer,
            checkpoints,
            Progress(f"{stage} {key}", per_epoch=trainer.images_per_epoch, epochs=trainer.epochs),
            config=json.dumps(config, sort_keys=True),
            keep=warmup.kept_epochs if fair is None else (trainer.epochs[-1],),
            save_epochs=options.save_epochs,
            save_minutes=options.save_minutes,
        )
        loop.run()
        run = {
            "stage": stage,
            "key": key,
            "suite": plan.suite,
            "config": config,
            "inputs": inputs,
            "code": code,
            **environment(device),
            "deterministic": options.deterministic,
            "training_images": len(images),
            "wall_seconds": round(loop.seconds, 1),
            "resumed": loop.resumed,
        }
        publish(folder, kept=loop.kept, log=loop.log, run=run)
        checkpoints.remove()
    return folder


def _training_set(packed: Packed, where: str, warmup: Warmup, fair: Fair | None) -> TrainingSet:
    """The images with every attribute that plays a role, once it is known that it can."""
    roles = {f"objective.{role}": warmup.objective.attribute(role) for role in ("target", "sensitive")}
    roles["sensitive"] = fair.sensitive if fair else None
    named = {role: attribute for role, attribute in roles.items() if attribute is not None}
    for role, attribute in named.items():
        if attribute not in packed.attributes:
            hint = did_you_mean(attribute, packed.attributes)
            raise UserError(f"{where}: '{role}': {packed.path} has no attribute '{attribute}'. {hint}")
    images = TrainingSet(packed, named.values())
    images.steps(warmup.optimiser.batch_size)
    for role, attribute in named.items():
        if images.classes[attribute] < 2:
            raise UserError(f"{where}: '{role}': all training images have the same '{attribute}'. Name another one.")
    if fair and fair.num_prototypes > len(images):
        counts = f"{fair.num_prototypes} prototypes for {len(images)} training images"
        raise UserError(f"{where}: 'num_prototypes': {counts}. Lower it.")
    return images
