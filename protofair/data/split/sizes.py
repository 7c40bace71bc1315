"""How many images a cell of the training set gets: the exact ratio, as large as the cells allow."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Room:
    """What the cells have left for training: the smallest of each kind, and how many there are of each."""

    frequent: int
    rare: int
    frequent_cells: int
    rare_cells: int


def exact(alpha: float) -> Fraction:
    """The number as written: 2.1 is 21/10, not the binary fraction nearest to it."""
    return Fraction(str(alpha))


def frequent_size(alpha: float, rare: int) -> int:
    """The size of a frequent cell beside a rare one: alpha times as many, to the nearest image (half an image up)."""
    return floor(exact(alpha) * rare + HALF)


def largest_rare(alpha: float, room: Room) -> int:
    """The largest size of a rare cell with which both kinds fit: a larger b has frequent_size(b) > room.frequent."""
    return min(room.rare, ceil((room.frequent + HALF) / exact(alpha)) - 1)


def equal_rare(alpha: float, alphas: Sequence[float], room: Room) -> int:
    """A rare cell's size for `alpha` in the largest total size that all of `alphas` can have; 0 where there is none."""
    reached = {each: _by_total(each, room) for each in alphas}
    common = set.intersection(*(set(totals) for totals in reached.values()))
    return reached[alpha][max(common)] if common else 0


def _by_total(alpha: float, room: Room) -> dict[int, int]:
    """Every total size that has the exact ratio, with the size of a rare cell in it."""
    return {
        room.frequent_cells * frequent_size(alpha, rare) + room.rare_cells * rare: rare
        for rare in range(1, largest_rare(alpha, room) + 1)
    }
