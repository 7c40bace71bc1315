"""Byte-identical files: one of each group stays, so that no image is in two splits."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True)
class Group:
    """Files with the same bytes."""

    names: tuple[str, ...]  # sorted
    disagree: tuple[str, ...]  # the labels on which they differ
    kept: str | None  # the first name; None where they differ on a decisive label


def duplicate_groups(
    table: pd.DataFrame, digests: Sequence[str], *, decisive: Sequence[str] = ("gender", "white")
) -> list[Group]:
    """Group the files of `table` (`id` and label columns) that have equal `digests`, ordered by their first name.

    The first name's labels stand for the group, unless its files differ on a `decisive` label, one the split is made
    of: then nobody knows which is right, and the whole group goes.
    """
    labels = [column for column in table.columns if column != "id"]
    files = table.assign(digest=list(digests)).sort_values("id")
    groups = []
    for _, same in files[files.duplicated("digest", keep=False)].groupby("digest", sort=False):
        names = tuple(same["id"])
        disagree = tuple(label for label in labels if len(set(same[label])) > 1)
        groups.append(Group(names, disagree, kept=None if set(disagree) & set(decisive) else names[0]))
    return groups


def without_duplicates(table: pd.DataFrame, groups: Sequence[Group]) -> pd.DataFrame:
    """The rows that stay: every file in no group, and the kept file of each group."""
    dropped = {name for group in groups for name in group.names if name != group.kept}
    return table[~table["id"].isin(dropped)].reset_index(drop=True)
