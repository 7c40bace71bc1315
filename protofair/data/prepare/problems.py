"""What is wrong with single images and rows: counted and listed, tolerated up to a share, never dropped in silence."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path

import pandas as pd

from protofair.core.atomic import write_text
from protofair.core.errors import UserError

KINDS = {
    "no-label": "images without a label",
    "no-image": "labels without an image",
    "no-split": "labels that no official split list has",
    "repeated": "rows repeated in a table",
    "unreadable": "images that cannot be read",
    "implausible": "implausible values, kept as they are",
}


@dataclass(frozen=True, order=True)
class Problem:
    """One image or row, by its official name."""

    kind: str  # key of KINDS
    id: str
    detail: str


def by_kind(problems: Sequence[Problem]) -> dict[str, list[Problem]]:
    """The problems of each kind that occurs, sorted by name, each (kind, name) once."""
    found: dict[str, dict[str, Problem]] = {}
    for problem in sorted(problems):
        found.setdefault(problem.kind, {}).setdefault(problem.id, problem)
    return {kind: list(found[kind].values()) for kind in KINDS if kind in found}


def refuse_above(limit: float, problems: Sequence[Problem], *, total: int, where: str, listing: Path) -> None:
    """Raise a `UserError` where a kind has more than the share `limit` of `total` images (a begun image counts as one).

    The full list is then in the file `listing`.
    """
    allowed = ceil(limit * total)
    lines = []
    for kind, found in by_kind(problems).items():
        if len(found) > allowed:
            examples = "; ".join(f"{problem.id}: {problem.detail}" for problem in found[:3])
            lines.append(
                f"{where}: {len(found):,} {KINDS[kind]} of {total:,}, at most {allowed:,} are tolerated ({examples})."
            )
    if lines:
        write_problems(listing, problems)
        lines.append(
            f"{where}: the full list is in {listing}. Mend the raw files, or raise max_problems (now {limit:g})."
        )
        raise UserError("\n".join(lines))


def write_problems(path: Path, problems: Sequence[Problem]) -> None:
    """A CSV with one line a problem: kind, id, detail."""
    rows = [(each.kind, each.id, each.detail) for found in by_kind(problems).values() for each in found]
    table = pd.DataFrame(rows, columns=["kind", "id", "detail"])
    write_text(path, table.to_csv(index=False, lineterminator="\n"))
