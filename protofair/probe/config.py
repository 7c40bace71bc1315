"""An entry of the plan's `probe`, `select` and `tsne` stages."""

from typing import Literal, Self

from pydantic import Field, model_validator

from protofair.core.strict import Key, Rate, Seed, Strict


class Checkpoint(Strict):
    """Which encoder: the weights a training stage kept after an epoch."""

    stage: Literal["warmup", "fair", "baseline", "select"]
    key: Key
    epoch: int = Field(ge=0)


class Task(Strict):
    """Predict `target`, and compare the predictions over the groups of `sensitive`."""

    target: str
    sensitive: str

    @model_validator(mode="after")
    def _differ(self) -> Self:
        if self.target == self.sensitive:
            raise ValueError("target and sensitive attribute must differ")
        return self


class ProbeConfig(Strict):
    """The paper's probe. The schedule and 10 epochs are open points: FSCL has a cosine and 100 epochs."""

    checkpoint: Checkpoint
    data: Key
    tasks: tuple[Task, ...] = Field(min_length=1)
    epochs: int = Field(10, ge=1)
    batch_size: int = Field(128, ge=1)
    lr: Rate = 0.1
    momentum: float = Field(0.9, ge=0, lt=1)
    schedule: Literal["cosine", "constant"] = "cosine"
    augment: bool = False
    neighbours: int = Field(20, ge=1)
    bootstrap: int = Field(1000, ge=1)
    seed: Seed = 0


class Candidate(Strict):
    """A training with a weight, and the probe that has measured it."""

    weight: float
    checkpoint: Checkpoint
    probe: Key


class SelectConfig(Strict):
    """Which of three trainings to go on with. Three, because DVC has no stages with a varying number of inputs."""

    target: str
    sensitive: str
    candidates: tuple[Candidate, Candidate, Candidate]


class TsneConfig(Strict):
    """A picture of a test set's features, for a sample of at most `points` images."""

    checkpoint: Checkpoint
    data: Key
    target: str
    sensitive: str
    points: int = Field(2000, ge=2)
    perplexity: float = Field(30.0, gt=0)
    neighbours: int = Field(20, ge=1)
    bootstrap: int = Field(1000, ge=1)
    seed: Seed = 0
