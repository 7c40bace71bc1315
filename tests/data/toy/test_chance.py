from statistics import NormalDist

import numpy as np
import pytest

from protofair.data.toy.chance import coin, stream, strength


def phi(left: list[bool], right: list[bool]) -> float:
    return float(np.corrcoef(left, right)[0, 1])


def test_a_stream_depends_on_each_of_its_parts() -> None:
    same = stream(0, "celeba", "labels", 7).random()
    assert stream(0, "celeba", "labels", 7).random() == same
    others = [
        (1, "celeba", "labels", 7),
        (0, "nih", "labels", 7),
        (0, "celeba", "split", 7),
        (0, "celeba", "labels", 8),
    ]
    assert same not in [stream(*parts).random() for parts in others]


def test_a_coin_has_the_correlation_asked_for_with_each_of_two() -> None:
    rng = np.random.default_rng(0)
    male = [coin(rng) for _ in range(10_000)]
    young = [coin(rng) for _ in range(10_000)]
    target = [coin(rng, (m, 0.4), (y, -0.3)) for m, y in zip(male, young, strict=True)]
    assert np.mean(target) == pytest.approx(0.5, abs=0.03)
    assert phi(target, male) == pytest.approx(0.4, abs=0.03)
    assert phi(target, young) == pytest.approx(-0.3, abs=0.03)


@pytest.mark.parametrize("clarity", [0.5, 1.2])
def test_clarity_says_how_often_a_perfect_observer_is_right(clarity: float) -> None:
    rng = np.random.default_rng(0)
    right = [
        (strength(rng, present, clarity=clarity) > 0.5) == present for present in (True, False) for _ in range(10_000)
    ]
    assert np.mean(right) == pytest.approx(NormalDist().cdf(clarity), abs=0.01)


def test_a_strength_stays_in_its_range() -> None:
    rng = np.random.default_rng(0)
    drawn = [strength(rng, present, clarity=3.0) for present in (True, False) for _ in range(100)]
    assert min(drawn) >= 0
    assert max(drawn) <= 1
