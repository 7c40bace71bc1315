"""The alpha split builder.

The first value of the target goes with the first group of the sensitive attribute. A cell (target, sensitive) of the
training set is *frequent* where both or neither of its values are first, else *rare*, and frequent : rare = alpha : 1.
All frequent cells have one size, and so have all rare ones: the groups differ in nothing but the ratio.

gender, white   the paper's split: White male:female = alpha:1, non-White male:female = 1:alpha
gender, race    White male:female = alpha:1, and 1:alpha in each of the four other groups
race, gender    male White : each other = alpha:1, female White : each other = 1:alpha
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from protofair.core.errors import UserError
from protofair.core.strict import parse
from protofair.data.split.attribute import attribute_values, first_value, value_name
from protofair.data.split.config import SplitConfig
from protofair.data.split.sizes import Room, equal_rare, frequent_size, largest_rare


@dataclass(frozen=True)
class Split:
    """Where each image went, and how many there are in each cell."""

    config: SplitConfig
    assigned: np.ndarray  # str [N], rows as in the label table: 'train', 'val', 'test', or '' for unused
    cells: pd.DataFrame  # one row a cell: target and sensitive value, train, val, test, unused


@dataclass(frozen=True)
class _Cell:
    target: int
    sensitive: int
    frequent: bool
    rows: np.ndarray  # int64 [n]


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
    """Assign the rows of `table` (`id` and integer attributes, no duplicates) to train, val and test.

    Validation and test take as many images from every cell, and the same ones whatever alpha is. The training set has
    the exact ratio (to the nearest image where alpha is no integer) and is the largest that has it; with "equal" sizes,
    the largest that every alpha of `equal_to` can have. Which images are taken follows from the seed and the ids alone.
    """
    options = {"alpha": alpha, "target": target, "sensitive": sensitive, "sizes": sizes, "equal_to": tuple(equal_to)}
    options |= {"val_per_cell": val_per_cell, "test_per_cell": test_per_cell, "seed": seed}
    config = parse(SplitConfig, options, where="split")
    if not table["id"].is_unique:
        raise UserError(f"split: '{table['id'][table['id'].duplicated()].iloc[0]}' is there twice. Remove one.")
    cells = _cells(table, config)
    rare = _rare_size(cells, config)
    frequent = frequent_size(config.alpha, rare)

    rank = _ranks(table["id"], config.seed)
    assigned = np.full(len(table), "", dtype=object)
    counts = []
    for cell in cells:
        train = frequent if cell.frequent else rare
        ends = np.cumsum([val_per_cell, test_per_cell, train])
        rows = cell.rows[np.argsort(rank[cell.rows])]
        for name, part in zip(("val", "test", "train"), np.split(rows, ends), strict=False):
            assigned[part] = name
        counts.append((cell.target, cell.sensitive, train, val_per_cell, test_per_cell, len(rows) - ends[-1]))
    columns = ["target", "sensitive", "train", "val", "test", "unused"]
    return Split(config, assigned, pd.DataFrame(counts, columns=columns))


def _cells(table: pd.DataFrame, config: SplitConfig) -> list[_Cell]:
    """Every combination of a target and a sensitive value, also those no image has."""
    targets = attribute_values(table, config.target)
    groups = attribute_values(table, config.sensitive)
    first_target, first_group = first_value(config.target, targets), first_value(config.sensitive, groups)
    return [
        _Cell(
            target=int(target),
            sensitive=int(group),
            frequent=bool((target == first_target) == (group == first_group)),
            rows=np.flatnonzero((targets == target) & (groups == group)),
        )
        for group in sorted(set(groups), key=lambda group: (group != first_group, group))
        for target in sorted(set(targets))
    ]


def _rare_size(cells: list[_Cell], config: SplitConfig) -> int:
    """How many images a rare cell gets; refused, with the largest alpha that works, where a cell cannot give them."""
    held_out = config.val_per_cell + config.test_per_cell
    room = _room(cells, held_out)
    if min(room.frequent, room.rare) < 1:
        raise UserError(_too_small(cells, config))
    highest = config.alpha if config.sizes == "largest" else max(config.equal_to)
    if highest > room.frequent:
        raise UserError(
            f"split: alpha {highest:g} leaves no image in a cell of the training set. "
            f"The largest alpha that works is {room.frequent}."
        )
    if config.sizes == "largest":
        return largest_rare(config.alpha, room)
    rare = equal_rare(config.alpha, config.equal_to, room)
    if rare < 1:
        alphas = ", ".join(f"{alpha:g}" for alpha in config.equal_to)
        raise UserError(f"split: no size of the training set suits all of alpha {alphas}. Take 'largest' sizes.")
    return rare


def _room(cells: list[_Cell], held_out: int) -> Room:
    frequent = [len(cell.rows) - held_out for cell in cells if cell.frequent]
    rare = [len(cell.rows) - held_out for cell in cells if not cell.frequent]
    return Room(min(frequent), min(rare), len(frequent), len(rare))


def _too_small(cells: list[_Cell], config: SplitConfig) -> str:
    smallest = min(cells, key=lambda cell: len(cell.rows))
    name = f"{value_name(config.target, smallest.target)}, {value_name(config.sensitive, smallest.sensitive)}"
    problem = (
        f"split: the cell ({name}) has {len(smallest.rows)} images, too few for {config.val_per_cell} in validation, "
        f"{config.test_per_cell} in test and one in training."
    )
    fitting = (len(smallest.rows) - 1) // 2
    if fitting < 1:
        return f"{problem} No alpha works: choose other attributes."
    room = _room(cells, 2 * fitting)
    keys = f"val_per_cell and test_per_cell {fitting}"
    return f"{problem} With {keys} the largest alpha that works is {room.frequent}."


def _ranks(ids: pd.Series, seed: int) -> np.ndarray:
    """A place in a shuffled order for every id, int64 [N]: from the seed and the ids, however the table is ordered."""
    keys = [hashlib.sha256(f"{seed}:{name}".encode()).digest() for name in ids]
    rank = np.empty(len(keys), dtype=np.int64)
    rank[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
    return rank
