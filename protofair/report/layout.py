"""A table as lines of text in the paper's layout: ours, and below it what the paper prints."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from protofair.report.metrics import mean_sd, number
from protofair.report.model import Cell, Metric, TableModel, Value

ARROWS = {"higher": "↑", "lower": "↓"}
WAITING = {"pending": "…", "partial": "…", "broken": "!", "done": "n/a", "not planned": ""}
MAJORITY = "ᵐ"  # the classifier is no better than always answering the majority class
OWN = "‡"  # the method's own classifier, not a linear probe
QUOTED = "†"  # not the authors' run: quoted from the FSCL paper
LEGEND = (
    "Mean ± standard deviation over seeds, and below it the paper's number."
    f" {QUOTED} quoted by the paper from FSCL. {MAJORITY} not above the rate of the majority class."
    f" {OWN} the method's own classifier; else a linear probe on its features."
    " … has not run, ! has a broken file."
)


@dataclass(frozen=True)
class Line:
    """A line of the table."""

    name: str
    numbers: tuple[str, ...]  # metric by metric, column by column
    rule: bool  # a line is drawn above it


def heading(metric: Metric) -> str:
    """`EO ↓`."""
    return f"{metric.label} {ARROWS[metric.better]}"


def printed_rows(table: TableModel) -> Iterator[Line]:
    """Our line of each row that the suite has, and the paper's line of each row that the paper has."""
    for row in table.rows:
        ours = any(cell.state != "not planned" for cell in row.cells)
        mark = QUOTED if row.quoted else ""
        name = f"– {row.name}" if row.kind == "control" else row.name
        if ours:
            yield Line(name, _numbers(table, row.cells, our_number), row.rule)
        if row.kind == "paper":
            printed = _numbers(table, row.cells, paper_number)
            yield Line(f"– the paper{mark}" if ours else f"{name}, the paper{mark}", printed, row.rule and not ours)


def our_number(cell: Cell, value: Value, metric: Metric) -> str:
    """`15.8 ± 0.4`, or why there is none."""
    if value.ours is None:
        return WAITING[cell.state]
    flagged = metric.name in ("accuracy", "equalized_odds") and cell.at_majority
    return mean_sd(value.ours, metric) + (MAJORITY if flagged else "") + (OWN if cell.own else "")


def paper_number(cell: Cell, value: Value, metric: Metric) -> str:
    return "" if value.paper is None else number(value.paper, metric)


def _numbers(table: TableModel, cells: tuple[Cell, ...], text: Callable[[Cell, Value, Metric], str]) -> tuple[str, ...]:
    return tuple(
        text(cell, value, metric) for cell in cells for value, metric in zip(cell.numbers, table.metrics, strict=True)
    )
