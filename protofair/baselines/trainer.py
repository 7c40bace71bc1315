"""A method in the training loop: batches and views as every training has them, updates as the method has them."""

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from protofair.baselines.config import Baseline
from protofair.baselines.method import Method, Step
from protofair.objectives import Encoder, build_encoder
from protofair.train.augment import two_views
from protofair.train.batches import Batch, TrainingSet
from protofair.train.device import autocast
from protofair.train.networks import FORMAT
from protofair.train.randomness import generator
from protofair.train.schedule import FLOOR, Schedule
from protofair.train.watch import all_finite


class MethodTrainer:
    """The method and its optimisers: all that steps change."""

    def __init__(self, baseline: Baseline, images: TrainingSet, device: torch.device, teacher: Encoder | None) -> None:
        self.baseline, self.images, self.device = baseline, images, device
        self.batch_size = baseline.optimiser.batch_size
        self.steps = images.steps(self.batch_size)
        self.epochs = range(1, baseline.epochs + 1)
        options, floor = baseline.optimiser, 1.0 if baseline.method.constant_rate else FLOOR
        self.schedule = Schedule(options.lr, horizon=baseline.epochs, ramp_epochs=options.ramp_epochs, floor=floor)
        torch.manual_seed(baseline.seed)
        self.method: Method = baseline.method.build(build_encoder(baseline.encoder.name), teacher)
        self.method.to(memory_format=torch.channels_last)  # type: ignore[call-overload] # torch's stubs lack it
        self.method.to(device).train()
        self.optimisers = self.method.optimisers(options)

    def begin_epoch(self, epoch: int, pause: Callable[[], None]) -> dict[str, Any] | None:
        return None

    def batches(self, *, epoch: int, first_step: int) -> Iterator[Batch]:
        return self.images.epoch(
            batch_size=self.batch_size, seed=self.baseline.seed, epoch=epoch, first_step=first_step, device=self.device
        )

    def step(self, batch: Batch, *, epoch: int, step: int) -> dict[str, Tensor]:
        rate = self.schedule.rate(epoch, done=(step + 1) / self.steps)
        for optimiser in self.optimisers.values():
            for group in optimiser.param_groups:
                group["lr"] = rate
        place = (self.baseline.seed, epoch, step)
        views = two_views(batch.images, config=self.baseline.augment, seed=place[0], epoch=epoch, step=step)
        method = self.baseline.method
        with autocast(self.device, self.baseline.precision):
            return self.method.update(
                Step(
                    torch.cat(views),
                    batch.labels[method.target].repeat(2),
                    batch.labels[method.sensitive].repeat(2),
                    epochs_left=self.baseline.epochs - epoch + 1,
                    generator=generator("noise", *place),
                ),
                self.optimisers,
            )

    def metrics(self) -> dict[str, Any] | None:
        return None

    def warning(self, records: list[dict[str, Any]]) -> str | None:
        return None

    def kept(self, *, config: str, epoch: int) -> dict[str, Any]:
        """The encoder and the classifier for the probe, and everything: equal tensors are stored once."""
        parts = {"encoder": self.method.encoder.state_dict(), "classifier": self.method.classifier.state_dict()}
        return {"format": FORMAT, "config": config, "epoch": epoch, **parts, **self.state()}

    def state(self) -> dict[str, Any]:
        optimisers = {name: optimiser.state_dict() for name, optimiser in self.optimisers.items()}
        return {"method": self.method.state_dict(), "optimisers": optimisers}

    def load_state(self, state: dict[str, Any]) -> None:
        self.method.load_state_dict(state["method"])
        for name, optimiser in self.optimisers.items():
            optimiser.load_state_dict(state["optimisers"][name])

    def finite(self) -> bool:
        return all_finite(self.method)
