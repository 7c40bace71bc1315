"""A whole training step, from the packed array to the optimiser's update, beside its encoder on a batch that is ready.

python -m bench.training_step

Both take turns in one run, and the fastest of each counts. The step is one of a fair phase: gather, augment, SupCon,
the ProtoFair term, backward pass, SGD. Further rows say which share of it each part takes.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import torch

from bench.table import Row, at_least, beside, show
from protofair.core.packed import Packed
from protofair.train import trainer as trainer_module
from protofair.train.batches import Batch, TrainingSet
from protofair.train.config import Fair, Warmup
from protofair.train.device import autocast, make_deterministic, training_device
from protofair.train.trainer import Trainer

TARGET = 0.9
# encoder, pixels, images a batch, the same without a GPU, repeats. A CPU has not the minutes for 256 views of the large
# one; a smaller batch only makes the step look worse, because the optimiser's work does not shrink with it.
CASES = (("resnet18", 128, 128, 16, 2), ("resnet-narrow", 32, 128, 128, 30), ("resnet-tiny", 32, 64, 64, 100))


def main() -> list[Row]:
    make_deterministic()
    return [row for case in CASES for row in _measure(*case)]


def _measure(encoder: str, size: int, batch_size: int, without_gpu: int, repeats: int) -> Iterator[Row]:
    device = training_device()
    batch_size = batch_size if device.type == "cuda" else without_gpu
    with TemporaryDirectory() as folder:
        trainer = _trainer(_packed(Path(folder), size, 4 * batch_size), encoder, batch_size, device)
        batches = _endless(trainer)
        views = torch.randn(2 * batch_size, 3, size, size, device=device).to(memory_format=torch.channels_last)
        parts: dict[str, float] = {}

        def encoder_alone() -> None:
            with autocast(device, "auto"):
                loss = trainer.networks.encoder(views).square().mean()
            loss.backward()

        def whole_step() -> None:
            trainer.step(next(batches), epoch=1, step=0)

        def timed_step() -> None:
            with _stopwatches(trainer, parts):
                with _stopwatch("gather", parts):
                    batch = next(batches)
                trainer.step(batch, epoch=1, step=0)

        alone, step = _seconds((encoder_alone, whole_step), repeats)
        timed_step()
    name = f"{encoder}, {size} px, {batch_size} images"
    yield at_least(f"training step: encoder alone / whole step, {name}", alone / step, TARGET, "%")
    yield beside(f"training step: images a second, {name}", batch_size / step, " img/s")
    for part, seconds in parts.items():
        yield beside(f"training step: {part}, {name}", seconds / sum(parts.values()), "%")


def _seconds(works: tuple[Callable[[], None], ...], repeats: int) -> list[float]:
    """The fastest run of each, all taking turns; the first turn is not counted."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(repeats + 1):
        for work, found in zip(works, times, strict=True):
            start = time.perf_counter()
            work()
            _synchronise()
            found.append(time.perf_counter() - start)
    return [min(found[1:]) for found in times]


@contextmanager
def _stopwatch(part: str, parts: dict[str, float]) -> Iterator[None]:
    start = time.perf_counter()
    yield
    _synchronise()
    parts[part] = parts.get(part, 0.0) + time.perf_counter() - start


@contextmanager
def _stopwatches(trainer: Trainer, parts: dict[str, float]) -> Iterator[None]:
    """Time the parts of a step while it is made."""

    def timed(part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            with _stopwatch(part, parts):
                return function(*arguments, **options)

        return call

    places = {
        "augment": (trainer_module, "two_views"),
        "forward": (trainer.networks, "forward"),
        "ProtoFair term": (trainer, "regulariser"),
        "backward": (torch.Tensor, "backward"),
        "optimiser": (trainer.optimiser, "step"),
    }
    with ExitStack() as stack:
        for part, (owner, name) in places.items():
            stack.enter_context(patch.object(owner, name, timed(part, getattr(owner, name))))
        yield


def _synchronise() -> None:
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def _endless(trainer: Trainer) -> Iterator[Batch]:
    for epoch in cycle(range(1, 1000)):
        yield from trainer.batches(epoch=epoch, first_step=0)


def _trainer(packed: Packed, encoder: str, batch_size: int, device: torch.device) -> Trainer:
    warmup = Warmup.model_validate({
        "data": "noise",
        "objective": {"name": "supcon", "target": "target"},
        "encoder": {"name": encoder},
        "optimiser": {"batch_size": batch_size},
    })  # fmt: skip
    fair = Fair(warmup="noise", sensitive="sensitive", from_epoch=1, num_prototypes=10)
    trainer = Trainer(warmup, TrainingSet(packed, ["target", "sensitive"]), device, fair)
    assert trainer.regulariser is not None
    trainer.regulariser.term.initialise(torch.randn(1000, 128, device=device))
    return trainer


def _packed(path: Path, size: int, count: int) -> Packed:
    random = np.random.default_rng(0)
    np.save(path / "images.npy", random.integers(0, 256, (count, size, size, 3), dtype=np.uint8))
    number = np.arange(count)
    labels = {"id": number, "split": "train", "target": number % 2, "sensitive": number // 2 % 2}
    pd.DataFrame(labels).to_csv(path / "labels.csv", index=False)
    (path / "manifest.json").write_text(json.dumps({"dataset": "noise"}))
    return Packed.open(path)


if __name__ == "__main__":
    sys.exit(print(show(main())))
