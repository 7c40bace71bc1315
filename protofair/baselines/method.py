"""The interface between the training loop and a baseline: networks, and what one batch does to them."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from pydantic import Field
from torch import Tensor, nn
from torch.optim import SGD

from protofair.objectives import Encoder
from protofair.objectives.objective import Options
from protofair.train.config import Optimiser

Optimisers = dict[str, torch.optim.Optimizer]


class MethodOptions(Options, ABC):
    """The configuration of a method; a subclass fixes `name`, adds its own keys and builds the method."""

    target: str
    sensitive: str
    num_classes: int = Field(default=2, ge=2)
    num_groups: int = Field(default=2, ge=2)

    training: ClassVar[dict[str, Any]] = {}  # what it wants otherwise than the suite's other trainings
    needs_teacher: ClassVar[bool] = False  # the encoder of the CE run of the same data, target and seed
    constant_rate: ClassVar[bool] = False  # instead of the cosine

    @property
    def least_epochs(self) -> int:
        return 1

    @abstractmethod
    def build(self, encoder: Encoder, teacher: Encoder | None) -> "Method":
        """The method with freshly initialised heads."""


@dataclass(frozen=True)
class Step:
    """Both views of B images in a row, their labels, and where in the training they come."""

    images: Tensor  # [2B, 3, H, W]
    target: Tensor  # int64 [2B]
    sensitive: Tensor  # int64 [2B]
    epochs_left: int  # this one included
    generator: torch.Generator  # on the CPU, of this step alone


class Method(nn.Module, ABC):
    """An encoder, a linear classifier on its features, and whatever else is needed to train them."""

    encoder: Encoder
    classifier: nn.Linear

    @abstractmethod
    def optimisers(self, options: Optimiser) -> Optimisers:
        """By name, over the parameters each of them moves."""

    @abstractmethod
    def update(self, step: Step, optimisers: Optimisers) -> dict[str, Tensor]:
        """All updates of a batch. Returns detached scalars to log: `loss`, which it minimises, and the parts of it."""


def sgd(parts: Iterable[nn.Module], options: Optimiser) -> SGD:
    """The optimiser every objective is trained with, over some parts of a method."""
    parameters = [parameter for part in parts for parameter in part.parameters()]
    return SGD(parameters, lr=options.lr, momentum=options.momentum, weight_decay=options.weight_decay)


def descend(optimiser: torch.optim.Optimizer, loss: Tensor) -> None:
    """One step down the loss, of the optimiser's own parameters alone."""
    optimiser.zero_grad()
    with torch.autocast(loss.device.type, enabled=False):  # which is for the way forward
        loss.backward()
    optimiser.step()
