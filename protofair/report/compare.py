"""Our tables beside those of somebody else's run of the same suite: which differences are more than chance.

A run with other seeds is expected within the spread of theirs: of several seeds, the 95 % prediction interval of one
more (or of the mean of as many as we have); of a single one, whose spread is unknown, its interval over test images.
"""

import csv
import io
import math
from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from protofair.core.errors import UserError
from protofair.report.model import Summary, TableModel
from protofair.report.summary import t_quantile

KEY = ("table", "row", "kind", "column", "metric")


@dataclass(frozen=True)
class Comparison:
    """A number of a table, theirs and ours."""

    table: str
    row: str
    column: str
    metric: str
    theirs: float
    ours: float
    low: float  # where ours is expected
    high: float
    expected: bool


def compare(tables: tuple[TableModel, ...], folder: Path) -> list[Comparison]:
    """Every number that both have, in the order of our tables."""
    theirs = _read(folder)
    found = [_comparison(key, theirs[key], ours) for table in tables for key, ours in _numbers(table) if key in theirs]
    if not found:
        raise UserError(f"{folder}: none of its tables has a number of this suite. Was it made from the same suite?")
    return found


def as_text(comparisons: list[Comparison]) -> str:
    """A table for the terminal."""
    lines = [("table", "row", "column", "metric", "theirs", "ours", "expected", "")]
    lines += [
        (
            *(one.table, one.row, one.column, one.metric, f"{one.theirs:.3g}", f"{one.ours:.3g}"),
            f"{one.low:.3g} to {one.high:.3g}",
            "" if one.expected else "differs",
        )
        for one in comparisons
    ]
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    shown = ("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip() for line in lines)
    differ = sum(not one.expected for one in comparisons)
    return "\n".join([*shown, f"{len(comparisons) - differ} of {len(comparisons)} numbers are as expected."])


def as_csv(comparisons: list[Comparison]) -> str:
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(field.name for field in fields(Comparison))
    lines.writerows(astuple(one) for one in comparisons)
    return text.getvalue()


def _comparison(key: tuple[str, ...], theirs: Summary, ours: Summary) -> Comparison:
    low, high = _expected(theirs, ours.seeds)
    table, row, kind, column, metric = key
    name = f"{row}, control" if kind == "control" else row
    return Comparison(table, name, column, metric, theirs.mean, ours.mean, low, high, low <= ours.mean <= high)


def _expected(theirs: Summary, seeds: int) -> tuple[float, float]:
    if theirs.sd is None:
        return theirs.low, theirs.high
    half = t_quantile(theirs.seeds) * theirs.sd * math.sqrt(1 / theirs.seeds + 1 / seeds)
    return theirs.mean - half, theirs.mean + half


def _numbers(table: TableModel) -> Iterator[tuple[tuple[str, ...], Summary]]:
    for row in table.rows:
        for cell in row.cells:
            for value in cell.numbers:
                if value.ours:
                    yield (table.name, cell.row, row.kind, cell.column, value.metric), value.ours


def _read(folder: Path) -> dict[tuple[str, ...], Summary]:
    """What the tables of a report say, from its CSV files."""
    paths = sorted(folder.rglob("table*.csv"))
    if not paths:
        raise UserError(f"{folder}: no table*.csv in it. Give the folder of a report, for example results/mini/report")
    numbers = {}
    for path in paths:
        with path.open(encoding="utf-8", newline="") as file:
            for line in csv.DictReader(file):
                try:
                    if line["ours"]:
                        numbers[tuple(line[part] for part in KEY)] = _summary(line)
                except (KeyError, ValueError) as error:
                    raise UserError(
                        f"{path}: not a table of a report ({error}). Write it again: protofair report"
                    ) from None
    return numbers


def _summary(line: dict[str, str]) -> Summary:
    sd = float(line["sd"]) if line["sd"] else None
    return Summary(float(line["ours"]), sd, float(line["low"]), float(line["high"]), int(line["seeds"]))
