"""The two stages: a warm-up from nothing, and a fair phase from a warm-up's checkpoint."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from protofair.core.entries import Plan, packed_folder
from protofair.core.errors import UserError
from protofair.core.strict import parse
from protofair.train.batches import TrainingSet
from protofair.train.config import Fair, Warmup, check_fits
from protofair.train.identity import file_hash
from protofair.train.networks import read_kept
from protofair.train.stage import Job, Options, Role, train
from protofair.train.trainer import Trainer


def run_warmup(plan: Plan, key: str, options: Options) -> Path:
    """Train with the base objective alone; returns the folder of the outputs."""
    warmup = plan.entry("warmup", key, Warmup)
    return train(plan, key, options, _job(warmup, lambda images, device: Trainer(warmup, images, device)))


def run_fair(plan: Plan, key: str, options: Options) -> Path:
    """Continue a warm-up with base objective + weight x L_CF; returns the folder of the outputs."""
    fair, where = plan.entry("fair", key, Fair), plan.where("fair", key)
    if fair.warmup in plan.entries("warmup"):
        check_fits(fair, plan.entry("warmup", fair.warmup, Warmup), where=where)
    trained = read_warmup(plan, fair.warmup, fair.from_epoch)
    warmup = trained.warmup
    check_fits(fair, warmup, where=where)
    again = f"Delete it and train again: protofair warmup {fair.warmup}"

    def build(images: TrainingSet, device: torch.device) -> Trainer:
        if fair.num_prototypes > len(images):
            counts = f"{fair.num_prototypes} prototypes for {len(images)} training images"
            raise UserError(f"{where}: 'num_prototypes': {counts}. Lower it.")
        trainer = Trainer(warmup, images, device, fair)
        try:
            trainer.continue_from(trained.content)
        except (KeyError, RuntimeError, TypeError, ValueError) as error:
            reason = str(error).splitlines()[0]
            what = f"not the networks and optimiser of its warm-up ({reason})"
            raise UserError(f"{trained.path}: {what}. {again}") from None
        if not trainer.finite():
            raise UserError(f"{trained.path}: its weights are not finite. {again}")
        return trainer

    job = _job(warmup, build)
    continued = replace(
        job,
        stage="fair",
        epochs=fair.epochs,
        keep=(fair.from_epoch + fair.epochs,),
        roles=(*job.roles, Role("sensitive", fair.sensitive)),
        config={**job.config, "fair": fair},
        start=trained.path,
        steadier="Lower 'weight', or the rate: 'lr: {mode: constant, value: 0.001}'.",
    )
    return train(plan, key, options, continued)


def _job(warmup: Warmup, build: Callable[[TrainingSet, torch.device], Trainer]) -> Job:
    """A warm-up, or what a fair phase has of one."""
    objective, adversary = warmup.objective, warmup.adversary
    roles = []
    if (target := objective.attribute("target")) is not None:
        roles.append(Role("objective.target", target, objective.target_classes))
    if (sensitive := objective.attribute("sensitive")) is not None:
        roles.append(Role("objective.sensitive", sensitive))
    if adversary is not None:
        roles.append(Role("adversary.sensitive", adversary.sensitive, adversary.num_groups))
    return Job(
        stage="warmup",
        data=warmup.data,
        encoder=warmup.encoder,
        batch_size=warmup.optimiser.batch_size,
        epochs=warmup.epochs,
        keep=warmup.kept_epochs,
        roles=tuple(roles),
        config={"warmup": warmup},
        build=build,
    )


@dataclass(frozen=True)
class Trained:
    """A kept checkpoint of a warm-up, and what that was."""

    path: Path
    content: dict[str, Any]
    warmup: Warmup


def read_warmup(plan: Plan, key: str, epoch: int) -> Trained:
    """The checkpoint of a warm-up after an epoch; refused if it is not the plan's, or not of the data there is now."""
    path = plan.folder("warmup", key) / "checkpoints" / f"epoch-{epoch:03d}.pt"
    again = f"Train it: protofair warmup {key}"
    content, config = read_kept(path, remedy=again)
    warmup = parse(Warmup, config.get("warmup"), where=f"{path}: config")
    if key in plan.entries("warmup"):
        _check_same(plan.entry("warmup", key, Warmup), warmup, path, again)
    manifest = packed_folder(warmup.data) / "manifest.json"
    if manifest.exists() and config.get("manifest") != file_hash(manifest):
        raise UserError(f"{path}: trained on other data than {manifest.parent} holds now. {again}")
    if config.get("stage") != "warmup":
        raise UserError(f"{path}: trained by the stage '{config.get('stage')}'. {again}")
    if content["epoch"] != epoch:
        raise UserError(f"{path}: holds epoch {content['epoch']}, not {epoch}. {again}")
    return Trained(path, content, warmup)


def _check_same(planned: Warmup, trained: Warmup, path: Path, again: str) -> None:
    """Refuse a checkpoint of another configuration; which epochs were kept makes no difference."""
    left, right = (_flat(warmup.model_dump(mode="json", exclude={"keep"})) for warmup in (planned, trained))
    for name in sorted(left.keys() | right.keys()):
        if left.get(name) != right.get(name):
            raise UserError(
                f"{path}: trained with '{name}' = {right.get(name)!r}, but the plan says {left.get(name)!r}. {again}"
            )


def _flat(value: Any, name: str = "") -> dict[str, Any]:
    """Nested keys joined by dots."""
    if not isinstance(value, dict):
        return {name: value}
    leaves = (_flat(inner, f"{name}.{part}".strip(".")) for part, inner in value.items())
    return {name: leaf for found in leaves for name, leaf in found.items()}
