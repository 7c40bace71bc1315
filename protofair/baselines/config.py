"""An entry of the plan's `baseline` stage."""

from typing import Self

from pydantic import Field, model_validator

from protofair.baselines.registry import MethodConfig
from protofair.core.strict import Key, Seed, Strict
from protofair.objectives import EncoderConfig
from protofair.train.config import Augment, Optimiser
from protofair.train.device import Precision


class Baseline(Strict):
    """A training of a method from beginning to end; `teacher` is the warm-up whose encoder it learns from.

    `needs` says for whoever lists a stage's inputs where that lies, or, of a method without one, something it reads
    anyway: DVC cannot leave out a dependency.
    """

    data: Key
    method: MethodConfig
    encoder: EncoderConfig = EncoderConfig()
    optimiser: Optimiser = Optimiser()
    augment: Augment = Augment()
    precision: Precision = "auto"
    epochs: int = Field(default=100, ge=1)
    teacher: Key | None = None
    needs: str | None = None
    seed: Seed = 0

    @model_validator(mode="after")
    def _check(self) -> Self:
        name, least = self.method.name, self.method.least_epochs
        if self.epochs < least:
            raise ValueError(f"epochs: {self.epochs}, but the method '{name}' needs at least {least}")
        if self.epochs < self.optimiser.ramp_epochs:
            raise ValueError(f"epochs: fewer than optimiser.ramp_epochs = {self.optimiser.ramp_epochs}")
        if self.method.needs_teacher != (self.teacher is not None):
            raise ValueError(f"teacher: the method '{name}' {'needs one' if self.method.needs_teacher else 'has none'}")
        return self
