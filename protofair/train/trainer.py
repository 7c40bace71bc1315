"""One step of training, of either phase, and everything that steps change."""

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from protofair.train.augment import two_views
from protofair.train.batches import Batch, TrainingSet
from protofair.train.config import Fair, Warmup
from protofair.train.networks import FORMAT, Networks
from protofair.train.regulariser import Regulariser
from protofair.train.schedule import fair_schedule, warmup_schedule
from protofair.train.watch import all_finite, stuck


class Trainer:
    """Networks and optimiser, and in the fair phase the regulariser.

    A weight of 0, the equal-training control, takes the same path with the same random numbers and statistics; its
    term is only not added to the loss.
    """

    def __init__(self, warmup: Warmup, images: TrainingSet, device: torch.device, fair: Fair | None = None) -> None:
        self.warmup, self.images, self.device = warmup, images, device
        self.batch_size = warmup.optimiser.batch_size
        self.steps = images.steps(self.batch_size)
        self.seed = warmup.seed if fair is None else fair.seed
        self.weight = 0.0 if fair is None else fair.weight
        self.schedule = warmup_schedule(warmup) if fair is None else fair_schedule(fair, warmup)
        begin, length = (0, warmup.epochs) if fair is None else (fair.from_epoch, fair.epochs)
        self.epochs = range(begin + 1, begin + length + 1)  # counted from the start of the warm-up
        self.networks = Networks(warmup).to(device).train()
        self.optimiser = self.networks.optimiser()
        self.regulariser = None if fair is None else Regulariser(fair, self.networks, images, device)

    def begin_epoch(self, epoch: int, pause: Callable[[], None]) -> dict[str, Any] | None:
        """What comes before the first step of an epoch; returns what K-means found, if it ran."""
        return None if self.regulariser is None else self.regulariser.begin_epoch(epoch, pause)

    def batches(self, *, epoch: int, first_step: int) -> Iterator[Batch]:
        return self.images.epoch(
            batch_size=self.batch_size, seed=self.seed, epoch=epoch, first_step=first_step, device=self.device
        )

    def step(self, batch: Batch, *, epoch: int, step: int) -> dict[str, Tensor]:
        """From a batch to the optimiser's update. Returns the losses and counts of the step, on the device."""
        done = (step + 1) / self.steps
        self.optimiser.param_groups[0]["lr"] = self.schedule.rate(epoch, done=done)
        views = two_views(batch.images, config=self.warmup.augment, seed=self.seed, epoch=epoch, step=step)
        output = self.networks(views, batch.labels)
        loss, numbers = output.loss, {"base": output.loss.detach(), **output.terms}
        adversarial = self.networks.adversarial_loss(output, batch.labels)
        if adversarial is not None:
            loss, numbers["adversary"] = loss + adversarial, adversarial.detach()
        if self.regulariser is not None:
            term, statistics = self.regulariser(output, batch.labels)
            numbers |= statistics
            if self.weight > 0:
                loss = loss + self.weight * term
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()
        self.networks.objective.after_step(self.networks.encoder, (epoch - 1 + done) / self.epochs[-1])
        return {"loss": loss.detach(), **numbers}

    def metrics(self) -> dict[str, Any] | None:
        """The clusters met in this epoch so far."""
        return None if self.regulariser is None else self.regulariser.metrics()

    def warning(self, records: list[dict[str, Any]]) -> str | None:
        return stuck(self.warmup, records)

    def kept(self, *, config: str, epoch: int) -> dict[str, Any]:
        """The checkpoint a later stage reads: plain tensors and values."""
        fair = {} if self.regulariser is None else self.regulariser.term.state_dict()
        parts = {**self.networks.parts(), "fair": fair, "optimiser": self.optimiser.state_dict()}
        classifier = self.networks.objective.own_classifier()
        if classifier is not None:
            parts["classifier"] = classifier.state_dict()
        return {"format": FORMAT, "config": config, "epoch": epoch, **parts}

    def state(self) -> dict[str, Any]:
        """Everything that steps change, to go on from in the middle of an epoch."""
        state = {**self.networks.parts(), "optimiser": self.optimiser.state_dict()}
        if self.regulariser is not None:
            state |= {"fair": self.regulariser.term.state_dict(), "table": self.regulariser.table}
        return state

    def load_state(self, state: dict[str, Any]) -> None:
        self.continue_from(state)
        if self.regulariser is not None:
            self.regulariser.term.load_state_dict(state["fair"])
            self.regulariser.table.copy_(state["table"])

    def continue_from(self, kept: dict[str, Any]) -> None:
        """Networks and the optimiser's momentum of another phase."""
        self.networks.load_parts(kept)
        self.optimiser.load_state_dict(kept["optimiser"])

    def finite(self) -> bool:
        return all_finite(self.networks)
