"""Which of the packed images stay, and in which split: the others are accounted for."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from protofair.core.errors import UserError
from protofair.data.duplicates import Group, duplicate_groups, without_duplicates
from protofair.data.prepare.config import Prepare
from protofair.data.prepare.labelled import Labelled, column_of
from protofair.data.prepare.official import packed_facts
from protofair.data.prepare.pack import Pixels
from protofair.data.prepare.problems import Problem
from protofair.data.split import build_split
from protofair.data.split.config import SplitConfig


@dataclass(frozen=True)
class Selected:
    """The final set: `table` row i has the pixels of row `rows[i]` of the array."""

    table: pd.DataFrame  # id, split, integer attributes; sorted by id
    rows: np.ndarray  # int64 [n], ascending
    pixels: Pixels
    groups: list[Group]  # of byte-identical files
    problems: list[Problem]
    facts: dict[str, int | float]
    left_out: dict[str, list[str]]

    @property
    def digests(self) -> list[str]:
        """The sha256 of each image file, as in `table`."""
        return [self.pixels.digests[row] for row in self.rows]


def with_unreadable(labelled: Labelled, pixels: Pixels) -> Labelled:
    """Add the images that could not be decoded to the problems."""
    unreadable = [Problem("unreadable", labelled.table["id"][row], why) for row, why in pixels.unreadable.items()]
    return replace(labelled, problems=labelled.problems + unreadable)


def divide(table: pd.DataFrame, split: SplitConfig, *, where: str) -> np.ndarray:
    """The part each image goes to, str [N]; a refusal begins with `where`."""
    try:
        return build_split(table, **split.model_dump()).assigned
    except UserError as error:
        raise UserError(f"{where}: {error}") from None


def select(labelled: Labelled, pixels: Pixels, config: Prepare, *, where: str) -> Selected:
    """Drop what cannot be read and, for UTKFace, byte-identical copies before the split is made."""
    readable = np.setdiff1d(np.arange(len(labelled.table)), list(pixels.unreadable))
    table = labelled.table.iloc[readable].reset_index(drop=True)
    digests = [pixels.digests[row] for row in readable]
    if config.split is not None:
        table, groups = _without_copies(table, digests, config.split)
        table.insert(1, "split", divide(table, config.split, where=where))
    else:
        groups = duplicate_groups(table.drop(columns="split"), digests, decisive=())
    return Selected(
        table=table,
        rows=pd.Index(labelled.table["id"]).get_indexer(table["id"]),
        pixels=pixels,
        groups=groups,
        problems=labelled.problems,
        facts=labelled.facts | packed_facts(config.dataset, table) | _facts(groups),
        left_out=labelled.left_out,
    )


def _without_copies(
    table: pd.DataFrame, digests: Sequence[str], split: SplitConfig
) -> tuple[pd.DataFrame, list[Group]]:
    """Keep one file of each byte-identical group, none where labels the split is made of disagree."""
    groups = duplicate_groups(table, digests, decisive=(column_of(split.target), column_of(split.sensitive)))
    return without_duplicates(table, groups), groups


def _facts(groups: list[Group]) -> dict[str, int | float]:
    return {
        "groups of byte-identical images": len(groups),
        "images in such groups": sum(len(group.names) for group in groups),
        "such groups whose labels disagree": sum(bool(group.disagree) for group in groups),
    }
