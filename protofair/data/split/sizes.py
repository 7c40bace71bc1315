"""How many images a cell of the training set gets: the exact ratio, as large as the cells allow."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor


@dataclass(frozen=True)
class Room:
    """What is left for training: the smallest of the frequent cells, of the rare cells, and how many there are of each."""

    frequent: int
    rare: int
    frequent_cells: int
    rare_cells: int


def exact(alpha: float) -> Fraction:
    """The number as written: 2.1 is 21/10, not the nearest binary fraction."""
    return Fraction(str(alpha))


def frequent_size(alpha: float, rare: int) -> int:
    """The size of a frequent cell beside a rare one: alpha times as many, to the nearest image (half an image up)."""
    return floor(exact(alpha) * rare + Fraction(1, 2))


def largest_rare(alpha: float, room: Room) -> int:
    """The largest rare cell for which both kinds fit: the greatest b <= rare with frequent_size(b) <= frequent."""
    return max(0, min(room.rare, ceil((room.frequent + Fraction(1, 2)) / exact(alpha)) - 1))


def equal_rare(alpha: float, alphas: Sequence[float], room: Room) -> int:
    """The rare cell's size for `alpha` at the largest total size every one of `alphas` can reach; 0 where there is none."""
    totals = [_by_total(each, room) for each in alphas]
    common = set(totals[0]).intersection(*totals[1:])
    return _by_total(alpha, room)[max(common)] if common else 0


def _by_total(alpha: float, room: Room) -> dict[int, int]:
    """Every total size `alpha` can reach with the exact ratio, and the rare cell's size there."""
    return {
        room.frequent_cells * frequent_size(alpha, rare) + room.rare_cells * rare: rare
        for rare in range(1, largest_rare(alpha, room) + 1)
    }
