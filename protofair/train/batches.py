"""Batches of the training set in an order that comes from (seed, epoch) alone, gathered ahead by a thread."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor

from protofair.core.errors import UserError
from protofair.core.packed import Packed
from protofair.train.randomness import generator

AHEAD = 3  # batches that wait for their turn, to even out a slow disk

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Batch:
    """images uint8 [B, H, W, C]; labels int64 [B] by attribute."""

    images: Tensor
    labels: dict[str, Tensor]


class TrainingSet:
    """The training split of a packed set, with the attributes that play a role numbered as classes 0, 1, ..."""

    def __init__(self, packed: Packed, attributes: Iterable[str]) -> None:
        self.packed = packed
        self.rows = packed.rows("train")
        self.labels: dict[str, Tensor] = {}  # int64 [N]
        self.classes: dict[str, int] = {}
        for attribute in attributes:
            values, classes = np.unique(packed.values(attribute, self.rows), return_inverse=True)
            self.labels[attribute], self.classes[attribute] = torch.from_numpy(classes), len(values)

    def __len__(self) -> int:
        return len(self.rows)

    def steps(self, batch_size: int) -> int:
        """Full batches in an epoch; what is left over is another rest in each."""
        steps = len(self) // batch_size
        if steps == 0:
            raise UserError(
                f"{self.packed.path}: {len(self)} training images do not fill a batch of {batch_size}."
                " Lower 'optimiser.batch_size', or prepare more data."
            )
        return steps

    def epoch(
        self, *, batch_size: int, seed: int, epoch: int, first_step: int, device: torch.device
    ) -> Iterator[Batch]:
        """The batches of an epoch from `first_step` on."""
        order = torch.randperm(len(self), generator=generator("order", seed, epoch))
        batches = order[: self.steps(batch_size) * batch_size].view(-1, batch_size)
        return self._gathered(batches[first_step:], device)

    def in_order(self, *, batch_size: int, device: torch.device) -> Iterator[Batch]:
        """Every image once, as packed, in batches of nearly equal size."""
        count = -(-len(self) // batch_size)
        return self._gathered(torch.arange(len(self)).tensor_split(count), device)

    def _gathered(self, batches: Iterable[Tensor], device: torch.device) -> Iterator[Batch]:
        def gather(members: Tensor) -> Batch:
            images = torch.from_numpy(np.take(self.packed.images, self.rows[members.numpy()], axis=0))
            labels = {attribute: values[members] for attribute, values in self.labels.items()}
            return Batch(images.pin_memory() if device.type == "cuda" else images, labels)

        for batch in ahead(gather, batches):
            labels = {attribute: values.to(device, non_blocking=True) for attribute, values in batch.labels.items()}
            yield Batch(batch.images.to(device, non_blocking=True), labels)


def ahead(function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """map, with a thread that works ahead; its exceptions are raised where the result would have come."""
    with ThreadPoolExecutor(max_workers=1) as thread:
        waiting: deque[Future[Result]] = deque()
        for item in items:
            waiting.append(thread.submit(function, item))
            if len(waiting) > AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
