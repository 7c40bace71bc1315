"""Entries of the plan's `warmup` and `fair` stages. Defaults are the paper's, or this project's where it is silent."""

import math
from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, field_validator

from protofair.core.errors import UserError
from protofair.core.strict import Key, Rate, Seed, Strict
from protofair.objectives.adversary import AdversaryConfig
from protofair.objectives.encoder import EncoderConfig
from protofair.objectives.registry import ObjectiveConfig
from protofair.train.device import Precision

Probability = Annotated[float, Field(ge=0, le=1)]
Strength = Annotated[float, Field(ge=0, le=1)]


class Optimiser(Strict):
    """SGD with FSCL's cosine; `ramp_epochs` raises the rate linearly from 0 at the start of training."""

    lr: Rate = 0.1
    momentum: float = Field(default=0.9, ge=0, lt=1)
    weight_decay: float = Field(default=1e-4, ge=0, le=1)
    batch_size: int = Field(default=128, ge=2)
    ramp_epochs: int = Field(default=0, ge=0)


class Augment(Strict):
    """RandomResizedCrop, flip, RandomApply(ColorJitter), grayscale; a probability or a strength of 0 leaves one out."""

    crop_scale: tuple[float, float] = (0.2, 1.0)  # share of the image's area
    crop_ratio: tuple[float, float] = (3 / 4, 4 / 3)  # width over height
    flip: Probability = 0.5
    jitter: Probability = 0.8
    brightness: Strength = 0.4
    contrast: Strength = 0.4
    saturation: Strength = 0.4
    hue: float = Field(default=0.1, ge=0, le=0.5)
    grayscale: Probability = 0.2

    @field_validator("crop_scale", "crop_ratio")
    @classmethod
    def _check_range(cls, value: tuple[float, float], info: ValidationInfo) -> tuple[float, float]:
        low, high = value
        most = 1.0 if info.field_name == "crop_scale" else math.inf
        if not 0 < low <= high <= most:
            raise ValueError(f"expected [low, high] with 0 < low <= high <= {most:g}")
        return value


class Warmup(Strict):
    """A training with the base objective alone; `keep` lists the epochs whose checkpoints stay (default: the last).

    An adversary, where there is one, belongs to the base: a fair phase continues it.
    """

    data: Key
    objective: ObjectiveConfig
    adversary: AdversaryConfig | None = None
    encoder: EncoderConfig = EncoderConfig()
    optimiser: Optimiser = Optimiser()
    augment: Augment = Augment()
    precision: Precision = "auto"
    epochs: int = Field(default=100, ge=1, validate_default=True)
    keep: tuple[int, ...] = ()
    seed: Seed = 0

    @field_validator("epochs")
    @classmethod
    def _check_ramp(cls, value: int, info: ValidationInfo) -> int:
        ramp = info.data["optimiser"].ramp_epochs if "optimiser" in info.data else 0
        if ramp > value:
            raise ValueError(f"fewer than optimiser.ramp_epochs = {ramp}")
        return value

    @field_validator("keep")
    @classmethod
    def _check_keep(cls, value: tuple[int, ...], info: ValidationInfo) -> tuple[int, ...]:
        epochs = info.data.get("epochs", math.inf)
        for epoch in value:
            if not 1 <= epoch <= epochs:
                raise ValueError(f"epoch {epoch} is not between 1 and epochs = {epochs}")
        return value

    @property
    def kept_epochs(self) -> tuple[int, ...]:
        return tuple(sorted(set(self.keep))) or (self.epochs,)


class FairRate(Strict):
    """The learning rate of the fair phase.

    tail      the cosine whose horizon is warm-up plus fair epochs, where the fair epochs lie on it
    restart   a new cosine over the fair epochs, from the warm-up's first rate
    constant  `value`
    """

    mode: Literal["tail", "restart", "constant"] = "tail"
    value: Rate | None = Field(default=None, validate_default=True)

    @field_validator("value")
    @classmethod
    def _check_value(cls, value: float | None, info: ValidationInfo) -> float | None:
        mode = info.data.get("mode")
        if mode == "constant" and value is None:
            raise ValueError("the mode 'constant' needs one, such as 0.01")
        if mode in ("tail", "restart") and value is not None:
            raise ValueError(f"the mode '{mode}' has none; 'constant' has")
        return value


class FairOptions(Strict):
    """How a fair phase is trained, whatever it continues."""

    from_epoch: int = Field(default=100, ge=1)
    epochs: int = Field(default=5, ge=1)
    weight: float = Field(default=0.3, ge=0)
    num_prototypes: int = Field(default=10, ge=1)
    momentum: float = Field(default=0.9, ge=0, lt=1)
    temperature: float = Field(default=0.07, gt=0)
    queue_batches: int = Field(default=4, ge=1)
    reinit_every: int = Field(default=5, ge=1)
    cluster_space: Literal["head", "contrastive", "encoder"] = "head"
    views: Literal["both", "first"] = "both"
    queue_on_reinit: Literal["empty", "keep"] = "empty"
    update: Literal["after", "before"] = "after"  # whether prototypes follow a batch after or before it is assigned
    lr: FairRate = FairRate()


class Fair(FairOptions):
    """A fair phase: a warm-up continued with base objective + weight x L_CF. Weight 0 is its equal-training control."""

    warmup: Key
    data: Key | None = None  # the warm-up's; stated for whoever lists a stage's inputs
    sensitive: str
    seed: Seed = 0


def check_fits(fair: Fair, warmup: Warmup, *, where: str) -> None:
    """Refuse a fair phase that cannot follow this warm-up."""
    if fair.from_epoch > warmup.epochs:
        raise UserError(
            f"{where}: 'from_epoch': {fair.from_epoch} is above the {warmup.epochs} epochs of the warm-up"
            f" '{fair.warmup}'. Lower it, or train the warm-up longer."
        )
    if fair.from_epoch not in warmup.kept_epochs:
        kept = ", ".join(map(str, warmup.kept_epochs))
        raise UserError(
            f"{where}: 'from_epoch': the warm-up '{fair.warmup}' keeps the epochs {kept}, not {fair.from_epoch}."
            f" Add {fair.from_epoch} to its 'keep'."
        )
    if fair.data not in (None, warmup.data):
        raise UserError(
            f"{where}: 'data': '{fair.data}', but the warm-up '{fair.warmup}' was trained on '{warmup.data}'."
            " A fair phase continues on the same data."
        )
