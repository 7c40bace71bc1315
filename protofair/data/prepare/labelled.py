"""What the official files of a data set say about its images."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np
import pandas as pd

from protofair.data.prepare.problems import Problem
from protofair.data.split.attribute import CUT


@dataclass(frozen=True)
class Labelled:
    """The label table as the packed set will have it, and what was found while it was read."""

    table: pd.DataFrame  # `id`, `split` (where an official one exists), integer attributes; sorted by id, ids unique
    total: int  # images or rows the official files speak of
    problems: list[Problem]
    facts: dict[str, int | float] = field(default_factory=dict)  # counted before a split drops any, for the card
    left_out: dict[str, list[str]] = field(default_factory=dict)  # names left out by choice, by the reason


def match(labelled: Labelled, names: Iterable[str]) -> Labelled:
    """Keep the rows that have an image among `names`; the others, and images without a row, become problems."""
    present = set(names)
    known = {*labelled.table["id"], *(problem.id for problem in labelled.problems), *chain(*labelled.left_out.values())}
    has_image = labelled.table["id"].isin(present)
    problems = [Problem("no-image", name, "no file of this name") for name in labelled.table["id"][~has_image]]
    problems += [Problem("no-label", name, "in no label table") for name in present - known]
    table = labelled.table[has_image].reset_index(drop=True)
    return replace(labelled, table=table, problems=labelled.problems + problems)


def column_of(attribute: str) -> str:
    """The column of an attribute: `age_60` for the cut `age>=60`; any other is its own."""
    cut = CUT.fullmatch(attribute)
    return f"{cut['column']}_{cut['threshold']}" if cut else attribute


def with_cuts(table: pd.DataFrame, attributes: Iterable[str]) -> pd.DataFrame:
    """Add a 0/1 column for every cut among `attributes` (1 = at least the threshold) whose column the table has."""
    added = {}
    for attribute in attributes:
        cut = CUT.fullmatch(attribute)
        if cut and cut["column"] in table.columns:
            added[column_of(attribute)] = (table[cut["column"]] >= int(cut["threshold"])).astype(np.int64)
    return table.assign(**added)


def majority(values: pd.Series) -> float:
    """The accuracy of always predicting the most frequent value, in per cent; NaN of nothing."""
    return float(values.value_counts(normalize=True).max() * 100) if len(values) else float("nan")
