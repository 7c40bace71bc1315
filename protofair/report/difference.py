"""Differences between runs on the same test images: resampled together, pair by pair, then averaged over seeds."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protofair.report.model import Difference
from protofair.report.summary import seed_half_width

Floats = NDArray[np.float64]
TAILS = (2.5, 97.5)


@dataclass(frozen=True)
class Sampled:
    """A metric of one run: its value, and what it is on each resample [R] of the test set. Resample r is the same rows
    for every run, so arithmetic between runs is paired."""

    value: float
    resampled: Floats

    def minus(self, other: "Sampled") -> "Sampled":
        return Sampled(self.value - other.value, self.resampled - other.resampled)

    def gain_over(self, base: "Sampled") -> "Sampled":
        """How much of the base's value is gone, in per cent; NaN where that is 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            gains = 100 - 100 * np.divide([self.value, *self.resampled], [base.value, *base.resampled])
        gains[~np.isfinite(gains)] = np.nan
        return Sampled(float(gains[0]), gains[1:])


def pairwise(a: Mapping[str, Sampled], b: Mapping[str, Sampled]) -> list[Sampled]:
    """a minus b for each seed both have."""
    return [a[seed].minus(b[seed]) for seed in a if seed in b]


def over_seeds(runs: Sequence[Sampled]) -> Difference | None:
    """Mean over seeds with its 95 % interval: percentiles of the mean's resamples, and the spread over seeds, in
    quadrature. None of no run, or of a value that is undefined."""
    values = [run.value for run in runs]
    if not runs or not np.isfinite(values).all():
        return None
    mean = float(np.mean(values))
    resampled = np.mean([run.resampled for run in runs], axis=0)
    if np.isnan(resampled).all():
        return None
    low, high = np.nanpercentile(resampled, TAILS)
    seeds = seed_half_width(values)
    return Difference(
        mean,
        mean - math.hypot(seeds, max(0.0, mean - float(low))),
        mean + math.hypot(seeds, max(0.0, float(high) - mean)),
        len(runs),
    )
