"""The sizes of the cells of a training set."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protofair.data.split.sizes import Room, equal_rare, frequent_size, largest_rare

ratios = st.integers(1, 12) | st.decimals(1, 12, places=2).map(float)
rooms = st.builds(Room, st.integers(12, 120), st.integers(1, 80), st.integers(1, 5), st.integers(1, 5))


def total(alpha: float, rare: int, room: Room) -> int:
    return room.frequent_cells * frequent_size(alpha, rare) + room.rare_cells * rare


@given(st.integers(1, 100), st.integers(0, 10_000))
def test_a_whole_ratio_is_met_exactly(alpha: int, rare: int) -> None:
    assert frequent_size(alpha, rare) == alpha * rare
    assert frequent_size(float(alpha), rare) == alpha * rare


@given(st.decimals(1, 20, places=3), st.integers(0, 10_000))
def test_another_ratio_is_met_to_half_an_image(alpha: object, rare: int) -> None:
    """The nearest count there is, reckoned with the ratio as it is written."""
    assert abs(frequent_size(float(alpha), rare) - Fraction(alpha) * rare) <= Fraction(1, 2)


@pytest.mark.parametrize(("alpha", "rare", "frequent"), [(2.5, 2, 5), (2.5, 1, 3), (1.1, 45, 50), (2.3, 10, 23)])
def test_ratios_by_hand(alpha: float, rare: int, frequent: int) -> None:
    assert frequent_size(alpha, rare) == frequent


@given(ratios, rooms)
def test_the_largest_fits_and_one_more_does_not(alpha: float, room: Room) -> None:
    rare = largest_rare(alpha, room)
    assert 1 <= rare <= room.rare
    assert frequent_size(alpha, rare) <= room.frequent
    assert rare + 1 > room.rare or frequent_size(alpha, rare + 1) > room.frequent


@given(st.lists(ratios, min_size=1, max_size=3), rooms)
def test_equal_sizes_are_the_largest_that_all_ratios_can_have(alphas: list[float], room: Room) -> None:
    reached = [
        {total(alpha, rare, room) for rare in range(1, room.rare + 1) if frequent_size(alpha, rare) <= room.frequent}
        for alpha in alphas
    ]
    common = set.intersection(*reached)
    chosen = [equal_rare(alpha, alphas, room) for alpha in alphas]
    if common:
        assert {total(alpha, rare, room) for alpha, rare in zip(alphas, chosen, strict=True)} == {max(common)}
    else:
        assert set(chosen) == {0}


def test_the_sizes_of_utkface() -> None:
    """5383 White men and 6587 other women, 4518 White women and 6734 other men, 1000 of each held out."""
    room = Room(frequent=4383, rare=3518, frequent_cells=2, rare_cells=2)
    sizes = {alpha: total(alpha, largest_rare(alpha, room), room) for alpha in (2, 3, 4)}
    assert sizes == {2: 13_146, 3: 11_688, 4: 10_950}
    assert {total(alpha, equal_rare(alpha, (2, 3, 4), room), room) for alpha in (2, 3, 4)} == {10_920}
