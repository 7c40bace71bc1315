"""Byte-identical files: one of each group is kept, and a group whose decisive labels disagree is dropped, so no file is in two splits."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True)
class Group:
    """Files with the same bytes."""

    names: tuple[str, ...]  # sorted
    disagree: tuple[str, ...]  # labels on which the names differ
    kept: str | None  # the first name, or None where a decisive label disagrees


def duplicate_groups(
    table: pd.DataFrame, digests: Sequence[str], *, decisive: Sequence[str] = ("gender", "white")
) -> list[Group]:
    """Find the files of `table` (`id` and label columns) with equal `digests`, ordered by their first name.

    A label of the first name stands for the group, unless the files disagree on one of the `decisive` labels (those a
    split is made of): then nobody knows which is right.
    """
    labels = [column for column in table.columns if column != "id"]
    keyed = table.assign(digest=list(digests)).sort_values("id")
    groups = []
    for _, files in keyed[keyed.duplicated("digest", keep=False)].groupby("digest", sort=False):
        disagree = tuple(label for label in labels if files[label].nunique() > 1)
        names = tuple(files["id"])
        kept = None if set(disagree) & set(decisive) else names[0]
        groups.append(Group(names, disagree, kept))
    return groups


def without_duplicates(table: pd.DataFrame, groups: Sequence[Group]) -> pd.DataFrame:
    """The rows of `table` that stay: every file in no group, and the kept file of each group."""
    dropped = {name for group in groups for name in group.names if name != group.kept}
    return table[~table["id"].isin(dropped)].reset_index(drop=True)
