import math

import numpy as np
import pytest

from protofair.report.difference import Sampled, over_seeds, pairwise


def sampled(value: float, *resampled: float) -> Sampled:
    return Sampled(value, np.array(resampled))


def test_differences_are_taken_resample_by_resample():
    a, b = sampled(5.0, 1.0, 9.0), sampled(3.0, 0.0, 8.0)
    found = a.minus(b)
    assert found.value == 2.0
    np.testing.assert_array_equal(found.resampled, [1.0, 1.0])


def test_only_seeds_that_both_have_are_paired():
    a = {"0": sampled(5.0, 5.0), "1": sampled(7.0, 7.0)}
    b = {"1": sampled(3.0, 3.0), "2": sampled(1.0, 1.0)}
    assert [run.value for run in pairwise(a, b)] == [4.0]


def test_one_seed_has_the_percentiles_of_its_resamples():
    resamples = np.arange(1001) / 100  # 0 to 10
    found = over_seeds([Sampled(4.0, resamples)])
    assert (found.value, found.seeds) == (4.0, 1)
    assert (found.low, found.high) == pytest.approx((0.25, 9.75))


def test_the_spread_over_seeds_widens_the_interval():
    resamples = np.linspace(-1, 1, 1001)
    found = over_seeds([Sampled(value, value + resamples) for value in (1.0, 2.0, 3.0)])
    half = math.hypot(4.302653 / math.sqrt(3), 0.95)
    assert found.value == 2.0
    assert (found.low, found.high) == pytest.approx((2 - half, 2 + half), abs=1e-4)


def test_an_undefined_value_gives_no_difference():
    assert over_seeds([]) is None
    assert over_seeds([sampled(math.nan, 1.0)]) is None
    assert over_seeds([sampled(1.0, math.nan, math.nan)]) is None


def test_resamples_that_leave_a_cell_empty_are_left_out():
    found = over_seeds([sampled(1.0, 0.0, math.nan, 2.0)])
    assert (found.low, found.high) == pytest.approx((0.05, 1.95))


def test_gain_is_the_share_of_the_base_that_is_gone():
    gain = sampled(6.6, 5.0, 4.0, 1.0).gain_over(sampled(10.6, 10.0, 2.0, 0.0))
    assert gain.value == pytest.approx(37.7358, abs=1e-4)
    np.testing.assert_allclose(gain.resampled, [50.0, -100.0, np.nan])
