"""A metric over the seeds of a cell: mean, spread, and an interval that knows of both the seeds and the test set."""

import math
from collections.abc import Sequence
from functools import cache

import numpy as np
from scipy.special import stdtrit

from protofair.report.model import Interval, Summary


def summarise(intervals: Sequence[Interval], *, highest: float = math.inf) -> Summary | None:
    """The summary of the runs of a cell, each with its bootstrap interval; None of no run.

    All runs share one test set, so their bootstrap half widths are averaged, not reduced; the half width of the mean
    over seeds comes in quadrature.
    """
    if not intervals:
        return None
    values = [run.value for run in intervals]
    mean = float(np.mean(values))
    # A percentile interval of EO near 0 can lie above the value; it then adds nothing below.
    below = math.hypot(seed_half_width(values), max(0.0, float(np.mean([run.value - run.low for run in intervals]))))
    above = math.hypot(seed_half_width(values), max(0.0, float(np.mean([run.high - run.value for run in intervals]))))
    return Summary(mean, spread(values), max(0.0, mean - below), min(highest, mean + above), len(values))


def spread(values: Sequence[float]) -> float | None:
    """Standard deviation over seeds; a single one has none."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else None


def seed_half_width(values: Sequence[float]) -> float:
    """Half the 95 % interval of the mean over seeds by Student's t; 0 of a single seed, whose spread is unknown."""
    sd = spread(values)
    return 0.0 if sd is None else t_quantile(len(values)) * sd / math.sqrt(len(values))


@cache
def t_quantile(count: int) -> float:
    return float(stdtrit(count - 1, 0.975))
