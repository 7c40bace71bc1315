"""The learning rate: FSCL's cosine, once an epoch, and how the fair phase continues it (open point 2)."""

import math
from dataclasses import dataclass

from protofair.train.config import Fair, Warmup

FLOOR = 0.1**3  # eta over the first rate


def cosine(epoch: int, *, horizon: int, lr: float, floor: float = FLOOR) -> float:
    """eta + (lr - eta)(1 + cos(pi e/E))/2 for e = 1..E: from just below lr in the first epoch to eta = floor x lr."""
    eta = lr * floor
    return eta + (lr - eta) * (1 + math.cos(math.pi * epoch / horizon)) / 2


@dataclass(frozen=True)
class Schedule:
    """The rate at every step of a phase, in epochs counted from the start of the warm-up.

    `start` is the epoch before the cosine's first; a floor of 1 is a constant rate.
    """

    lr: float
    horizon: int
    start: int = 0
    ramp_epochs: int = 0
    floor: float = FLOOR

    def rate(self, epoch: int, *, done: float = 1.0) -> float:
        """The rate in an epoch of which the share `done` is over after this step; only a ramp changes within it."""
        ramp = min(1.0, (epoch - 1 + done) / self.ramp_epochs) if self.ramp_epochs else 1.0
        return ramp * cosine(epoch - self.start, horizon=self.horizon, lr=self.lr, floor=self.floor)


def warmup_schedule(warmup: Warmup) -> Schedule:
    return Schedule(warmup.optimiser.lr, horizon=warmup.epochs, ramp_epochs=warmup.optimiser.ramp_epochs)


def fair_schedule(fair: Fair, warmup: Warmup) -> Schedule:
    if fair.lr.value is not None:
        return Schedule(fair.lr.value, horizon=fair.epochs, start=fair.from_epoch, floor=1.0)
    if fair.lr.mode == "restart":
        return Schedule(warmup.optimiser.lr, horizon=fair.epochs, start=fair.from_epoch)
    horizon = fair.from_epoch + fair.epochs
    return Schedule(warmup.optimiser.lr, horizon=horizon, ramp_epochs=warmup.optimiser.ramp_epochs)
