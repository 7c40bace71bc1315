"""The `baseline` stage: a method from nothing, or from the encoder of its teacher."""

from pathlib import Path

import torch

from protofair.baselines.config import Baseline
from protofair.baselines.trainer import MethodTrainer
from protofair.core.entries import Plan
from protofair.core.errors import UserError
from protofair.core.strict import Strict
from protofair.objectives import Encoder, build_encoder
from protofair.train.batches import TrainingSet
from protofair.train.config import Warmup
from protofair.train.identity import CODE
from protofair.train.phases import Trained, read_warmup
from protofair.train.stage import Job, Options, Role, train


def run_baseline(plan: Plan, key: str, options: Options) -> Path:
    """Train a method to its end; returns the folder of the outputs."""
    baseline, where = plan.entry("baseline", key, Baseline), plan.where("baseline", key)
    method = baseline.method
    config: dict[str, Strict] = {"baseline": baseline}
    trained = None
    if baseline.teacher is not None:
        trained = read_warmup(plan, baseline.teacher, plan.entry("warmup", baseline.teacher, Warmup).epochs)
        _check_teacher(baseline, trained.warmup, where)
        config["warmup"] = trained.warmup

    def build(images: TrainingSet, device: torch.device) -> MethodTrainer:
        try:
            return MethodTrainer(baseline, images, device, _encoder(trained) if trained else None)
        except UserError as error:
            raise UserError(f"{where}: {error}") from None

    job = Job(
        stage="baseline",
        data=baseline.data,
        encoder=baseline.encoder,
        batch_size=baseline.optimiser.batch_size,
        epochs=baseline.epochs,
        keep=(baseline.epochs,),
        roles=(
            Role("method.target", method.target, method.num_classes),
            Role("method.sensitive", method.sensitive, method.num_groups),
        ),
        config=config,
        build=build,
        start=trained.path if trained else None,
        code=(*CODE, "baselines"),
    )
    return train(plan, key, options, job)


def _encoder(trained: Trained) -> Encoder:
    encoder = build_encoder(trained.warmup.encoder.name)
    encoder.load_state_dict(trained.content["encoder"])
    return encoder


def _check_teacher(baseline: Baseline, teacher: Warmup, where: str) -> None:
    """Refuse a teacher that is not the CE run of the same data, target, encoder and seed."""
    pairs = {
        "objective": ("ce", teacher.objective.name),
        "adversary": (None, teacher.adversary),
        "seed": (baseline.seed, teacher.seed),
        "data": (baseline.data, teacher.data),
        "target": (baseline.method.target, teacher.objective.attribute("target")),
        "encoder": (baseline.encoder.name, teacher.encoder.name),
    }
    for name, (own, other) in pairs.items():
        if own != other:
            raise UserError(f"{where}: 'teacher': '{baseline.teacher}' has the {name} {other!r}, expected {own!r}.")
