"""What the loop asks of a training, whatever it trains."""

from collections.abc import Callable, Iterator
from typing import Any, Protocol

import torch
from torch import Tensor

from protofair.train.batches import Batch
from protofair.train.schedule import Schedule


class Training(Protocol):
    """Epochs of steps, everything that steps change, and what a later stage reads of it."""

    device: torch.device
    batch_size: int
    steps: int  # in an epoch
    epochs: range
    schedule: Schedule

    def begin_epoch(self, epoch: int, pause: Callable[[], None]) -> dict[str, Any] | None:
        """What comes before the first step of an epoch; returns what K-means found, if it ran."""

    def batches(self, *, epoch: int, first_step: int) -> Iterator[Batch]: ...

    def step(self, batch: Batch, *, epoch: int, step: int) -> dict[str, Tensor]:
        """From a batch to the update. Returns the losses and counts of the step, on the device."""

    def metrics(self) -> dict[str, Any] | None:
        """The clusters met in this epoch so far."""

    def warning(self, records: list[dict[str, Any]]) -> str | None:
        """What the log so far gives cause to warn of."""

    def kept(self, *, config: str, epoch: int) -> dict[str, Any]:
        """The checkpoint a later stage reads: plain tensors and values."""

    def state(self) -> dict[str, Any]:
        """Everything that steps change, to go on from in the middle of an epoch."""

    def load_state(self, state: dict[str, Any]) -> None: ...

    def finite(self) -> bool:
        """Whether every parameter is still a number; waits for the device."""
