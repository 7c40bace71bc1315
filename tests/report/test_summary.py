import math

import pytest

from protofair.report.model import Interval
from protofair.report.summary import seed_half_width, summarise


def test_one_seed_has_its_bootstrap_interval_and_no_spread():
    found = summarise([Interval(15.0, 13.0, 18.0)])
    assert (found.mean, found.sd, found.low, found.high, found.seeds) == (15.0, None, 13.0, 18.0, 1)


def test_three_seeds_by_hand():
    runs = [Interval(10.0, 8.0, 13.0), Interval(12.0, 10.0, 15.0), Interval(14.0, 12.0, 17.0)]
    found = summarise(runs)
    assert found.mean == 12.0
    assert found.sd == pytest.approx(2.0)
    seeds = 4.302653 * 2.0 / math.sqrt(3)  # Student's t with two degrees of freedom
    assert found.low == pytest.approx(12.0 - math.sqrt(seeds**2 + 2.0**2), abs=1e-4)
    assert found.high == pytest.approx(12.0 + math.sqrt(seeds**2 + 3.0**2), abs=1e-4)
    assert found.seeds == 3


def test_seeds_that_agree_leave_the_bootstrap_interval():
    found = summarise([Interval(10.0, 8.0, 13.0)] * 3)
    assert (found.sd, found.low, found.high) == (0.0, 8.0, 13.0)


def test_two_seeds_are_hardly_more_than_one():
    assert seed_half_width([1.0, 2.0]) == pytest.approx(12.7062 * math.sqrt(0.5) / math.sqrt(2), rel=1e-4)


def test_an_interval_stays_within_what_the_metric_can_be():
    found = summarise([Interval(1.0, 0.5, 2.0), Interval(5.0, 4.0, 6.0)], highest=100.0)
    assert found.low == 0.0
    found = summarise([Interval(98.0, 97.0, 99.0), Interval(94.0, 93.0, 95.0)], highest=100.0)
    assert found.high == 100.0


def test_a_percentile_interval_above_its_value_does_not_push_the_low_end_up():
    """EO near 0: the resamples lie above it."""
    found = summarise([Interval(1.0, 1.5, 4.0)])
    assert (found.low, found.high) == (1.0, 4.0)


def test_no_run_has_no_summary():
    assert summarise([]) is None
