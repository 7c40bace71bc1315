"""The alpha split builder.

The first value of the target goes with the first group of the sensitive attribute. A cell (target, sensitive) of the
training set is *frequent* where both or neither of its values are first, else *rare*; frequent : rare = alpha : 1.
Every frequent cell has the same size, and so has every rare one, so that alpha is the only bias between the groups.
With gender and White/non-White that is the split of the paper: White male:female = alpha:1, non-White 1:alpha. With
all five ethnicities White has alpha:1 and each of the others 1:alpha.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Literal

import numpy as np
import pandas as pd

from protofair.data.split.attribute import attribute_values, first_value
from protofair.data.split.sizes import Room, equal_rare, frequent_size, largest_rare
from protofair.errors import UserError


@dataclass(frozen=True)
class Split:
    """Which split each row of the label table is in, and the cells."""

    assigned: np.ndarray  # str [N]: 'train', 'val', 'test', or '' for unused; rows as in the table
    cells: pd.DataFrame  # target, sensitive, train, val, test, unused: one row a cell


def build_split(
    table: pd.DataFrame,
    *,
    alpha: float,
    target: str = "gender",
    sensitive: str = "white",
    val_per_cell: int = 500,
    test_per_cell: int = 500,
    sizes: Literal["largest", "equal"] = "largest",
    equal_to: Sequence[float] = (2, 3, 4),
    seed: int = 0,
) -> Split:
    """Assign the rows of `table` (`id` and integer attributes) to train, val and test.

    Validation and test take the same number from every cell, and the same images whatever alpha is. The training set has
    the exact ratio (to the nearest image where alpha is no integer) and is the largest there is, or, with `sizes="equal"`,
    the largest that every alpha of `equal_to` can have. Which images are taken depends on the seed and the ids alone.
    """
    if not (isfinite(alpha) and alpha >= 1):
        raise UserError(f"alpha {alpha} is not a number of at least 1. 1 is a balanced training set.")
    if sizes == "equal" and alpha not in equal_to:
        raise UserError(f"alpha {alpha} is not among the alphas of equal size ({_listed(equal_to)}). Add it there.")
    if not table["id"].is_unique:
        twice = table["id"][table["id"].duplicated()].iloc[0]
        raise UserError(f"id '{twice}' stands twice in the label table. Ids must be unique.")
    cells = _cells(table, target, sensitive)
    held_out = val_per_cell + test_per_cell
    room = _room(cells, held_out)
    rare = largest_rare(alpha, room) if sizes == "largest" else equal_rare(alpha, equal_to, room)
    if rare < 1:
        raise UserError(f"alpha {alpha} is too high: the largest alpha that works is {room.frequent}.")
    assigned = np.full(len(table), "", dtype=object)
    rank = _ranks(table["id"], seed)
    counts = []
    for t, s, frequent, rows in cells:
        rows = rows[np.argsort(rank[rows])]
        train = held_out + (frequent_size(alpha, rare) if frequent else rare)
        assigned[rows[:val_per_cell]] = "val"
        assigned[rows[val_per_cell:held_out]] = "test"
        assigned[rows[held_out:train]] = "train"
        counts.append((t, s, train - held_out, val_per_cell, test_per_cell, len(rows) - train))
    return Split(assigned, pd.DataFrame(counts, columns=["target", "sensitive", "train", "val", "test", "unused"]))


def _cells(table: pd.DataFrame, target: str, sensitive: str) -> list[tuple[int, int, bool, np.ndarray]]:
    """Every combination of values: target, sensitive, is it frequent, the rows."""
    targets, groups = attribute_values(table, target), attribute_values(table, sensitive)
    first_target, first_group = first_value(target, targets), first_value(sensitive, groups)
    return [
        (int(t), int(s), (t == first_target) == (s == first_group), np.flatnonzero((targets == t) & (groups == s)))
        for t in np.unique(targets)
        for s in np.unique(groups)
    ]


def _room(cells: list[tuple[int, int, bool, np.ndarray]], held_out: int) -> Room:
    left = {
        kind: [len(rows) - held_out for _, _, frequent, rows in cells if frequent == kind] for kind in (True, False)
    }
    return Room(min(left[True]), min(left[False]), len(left[True]), len(left[False]))


def _ranks(ids: pd.Series, seed: int) -> np.ndarray:
    """A random but fixed place for every id, from the seed and the id alone."""
    keys = [hashlib.sha256(f"{seed}:{name}".encode()).digest() for name in ids]
    rank = np.empty(len(keys), dtype=np.int64)
    rank[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
    return rank


def _listed(alphas: Sequence[float]) -> str:
    return ", ".join(f"{alpha:g}" for alpha in alphas)
