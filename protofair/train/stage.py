"""A training stage: from a valid entry to its outputs."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch

from protofair.core.atomic import make_writable_folder
from protofair.core.entries import Plan, packed_folder
from protofair.core.environment import environment
from protofair.core.errors import UserError
from protofair.core.lock import only_process
from protofair.core.packed import Packed
from protofair.core.strict import Strict, did_you_mean
from protofair.objectives import EncoderConfig
from protofair.train.batches import TrainingSet
from protofair.train.checkpoint import ROOT, Checkpoints
from protofair.train.device import keep_freed_memory, make_deterministic, training_device
from protofair.train.estimate import refuse_long_run
from protofair.train.identity import CODE, code_hash, file_hash, run_hash
from protofair.train.loop import Loop
from protofair.train.outputs import publish
from protofair.train.progress import Progress
from protofair.train.training import Training
from protofair.train.watch import TrainingError

LOCKS = Path(".cache", "locks")
BUSY = "another process is training this. Wait for it, or end it."


@dataclass(frozen=True)
class Options:
    """How to run, as against what: of these only `deterministic` can change a result, and that in its last bits."""

    on_cpu: bool = False
    save_epochs: int = 1
    save_minutes: float = 10.0
    deterministic: bool = True


@dataclass(frozen=True)
class Role:
    """An attribute that is learned from, by the key that names it; `classes` if a head is built for so many."""

    key: str
    attribute: str
    classes: int | None = None


@dataclass(frozen=True)
class Job:
    """What a stage trains, and what its outputs say of it."""

    stage: str
    data: str
    encoder: EncoderConfig
    batch_size: int
    epochs: int  # of this stage alone
    keep: tuple[int, ...]
    roles: tuple[Role, ...]
    config: dict[str, Strict]  # the entry, and the one it continues, by stage
    build: Callable[[TrainingSet, torch.device], Training]
    start: Path | None = None  # the kept checkpoint of another training that this one reads
    code: tuple[str, ...] = CODE
    steadier: str = "Lower 'optimiser.lr', or set 'optimiser.ramp_epochs'."  # what to do if the losses run away


def train(plan: Plan, key: str, options: Options, job: Job) -> Path:
    """Train an entry, or go on with it, then publish its outputs; returns their folder."""
    manifest = packed_folder(job.data) / "manifest.json"
    images = _training_set(Packed.open(manifest.parent), plan.where(job.stage, key), job)
    device = training_device()
    if options.deterministic:
        make_deterministic()
    if device.type == "cpu":
        keep_freed_memory()
        if not options.on_cpu:
            refuse_long_run(job.encoder, size=images.packed.images.shape[1:3], images=len(images), epochs=job.epochs)
    config = {
        "stage": job.stage,
        **{stage: entry.model_dump(mode="json") for stage, entry in job.config.items()},
        # Again without what is at its default: a later stage tells by it what a plan has ceased to say.
        "set": {stage: entry.model_dump(mode="json", exclude_defaults=True) for stage, entry in job.config.items()},
        "manifest": file_hash(manifest),
    }
    inputs = {str(path): file_hash(path) for path in ([manifest, job.start] if job.start else [manifest])}
    folder, code = plan.folder(job.stage, key), code_hash(names=job.code)
    checkpoints = Checkpoints(ROOT / run_hash({"output": str(folder), **config}, inputs=inputs, code=code))
    trainer = job.build(images, device)
    make_writable_folder(folder)
    with only_process(LOCKS / f"{plan.suite}.{job.stage}.{key}", otherwise=f"{folder}: {BUSY}"):
        loop = Loop(
            trainer,
            checkpoints,
            Progress(f"{job.stage} {key}", per_epoch=trainer.steps * trainer.batch_size, epochs=trainer.epochs),
            config=json.dumps(config, sort_keys=True),
            keep=job.keep,
            save_epochs=options.save_epochs,
            save_minutes=options.save_minutes,
        )
        try:
            loop.run()
        except TrainingError as error:
            raise TrainingError(f"{plan.where(job.stage, key)}: {error} {job.steadier}") from None
        run = {
            "stage": job.stage,
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


def _training_set(packed: Packed, where: str, job: Job) -> TrainingSet:
    """The images with every attribute that plays a role, once it is known that it can."""
    for role in job.roles:
        if role.attribute not in packed.attributes:
            hint = did_you_mean(role.attribute, packed.attributes)
            raise UserError(f"{where}: '{role.key}': {packed.path} has no attribute '{role.attribute}'. {hint}")
    images = TrainingSet(packed, [role.attribute for role in job.roles])
    images.steps(job.batch_size)
    for role in job.roles:
        found = images.classes[role.attribute]
        if found < 2:
            same = f"all training images have the same '{role.attribute}'"
            raise UserError(f"{where}: '{role.key}': {same}. Name another one.")
        if role.classes not in (None, found):
            counts = f"'{role.attribute}' has {found} classes, the head is built for {role.classes}"
            raise UserError(f"{where}: '{role.key}': {counts}. Set its number of classes.")
    return images
