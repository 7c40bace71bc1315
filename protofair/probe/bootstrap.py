"""Percentile bootstrap over the images of a test set, of many statistics at once.

Plain resampling: n of the n rows with replacement, so the sizes of groups and classes vary as in another test set.
A resample is held as weights, how often each row was drawn, which every statistic takes; the point estimate is the same
statistic with all weights 1. The rows drawn depend on their number and the seed alone: two probes on one test set see
the same resamples, and their differences can be taken pair by pair.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

Floats = NDArray[np.float64]
# Weights [b, n] to named values [b, ...].
Statistic = Callable[[Floats], Mapping[str, Floats]]

LEVEL = 95.0
# Weights held at once, 10 resamples of 20,000 rows: 1.6 MB stay near the processor.
BLOCK = 200_000


class Estimate(NamedTuple):
    """A value with the ends of its interval, all of one shape. NaN where the value is undefined."""

    value: Floats
    low: Floats
    high: Floats


def resample_weights(rows: int, *, resamples: int, seed: int) -> Iterator[Floats]:
    """Blocks [b, rows] of how often each row was drawn; `resamples` rows of weights in all."""
    random = np.random.default_rng(seed)
    at_once = max(1, BLOCK // rows)
    for start in range(0, resamples, at_once):
        block = np.empty((min(at_once, resamples - start), rows))
        for weights in block:
            weights[:] = np.bincount(random.integers(rows, size=rows), minlength=rows)
        yield block


def estimate(
    statistics: Mapping[str, Statistic], *, rows: int, resamples: int, seed: int
) -> dict[str, dict[str, Estimate]]:
    """Each value of each statistic with its 95 % percentile interval, all from the same resamples.

    A resample that leaves a cell empty has no value there; the interval is that of the others. EO and AUROC gap are
    sizes of differences: near 0 the resamples lie above the value, so an interval that excludes 0 is no proof of bias.
    """
    # The products are small: more threads only wait for each other, and their number would show in the last bits.
    with threadpool_limits(1):
        values = {name: statistic(np.ones((1, rows))) for name, statistic in statistics.items()}
        drawn = [
            {name: statistic(weights) for name, statistic in statistics.items()}
            for weights in resample_weights(rows, resamples=resamples, seed=seed)
        ]
    return {
        name: {
            part: _interval(value[0], np.concatenate([block[name][part] for block in drawn]))
            for part, value in parts.items()
        }
        for name, parts in values.items()
    }


def _interval(value: Floats, resampled: Floats) -> Estimate:
    """The percentiles of `resampled` [resamples, ...] around `value` [...]."""
    tail = (100.0 - LEVEL) / 2
    # Where the value itself is undefined the interval is too, and where no resample has a value.
    known = ~np.isnan(value) & ~np.isnan(resampled).all(axis=0)
    ends = np.nanpercentile(np.where(known, resampled, 0.0), [tail, 100.0 - tail], axis=0)
    return Estimate(value, *np.where(known, ends, np.nan))
