"""Tables for other programs and other papers: CSV, JSON, LaTeX, Markdown. The same table gives the same bytes."""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from protofair.core.atomic import write_text
from protofair.report.latex import latex_document
from protofair.report.layout import heading, printed_rows
from protofair.report.model import Cell, Difference, Row, Summary, TableModel, Value

FIELDS = (
    *("table", "row", "kind", "quoted", "column", "target", "sensitive", "state", "metric"),
    *("ours", "sd", "low", "high", "seeds", "paper", "difference", "beside_paper"),
    *("minus_control", "minus_control_low", "minus_control_high", "minus_base", "minus_base_low", "minus_base_high"),
    *("balanced_accuracy", "majority_rate", "at_majority", "one_class", "own_classifier", "note"),
)
MARKDOWN = str.maketrans({character: f"\\{character}" for character in "\\`*_|[]"} | {"<": "&lt;", "\n": " "})


def to_csv(table: TableModel) -> str:
    """A line for each number of each cell; `row` of a control is the row it is the control of."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(FIELDS)
    for row in table.rows:
        for cell in row.cells:
            lines.writerows(_csv_line(table, row, cell, value) for value in cell.numbers)
    return text.getvalue()


def to_json(table: TableModel) -> str:
    """Everything, details included."""
    return json.dumps(asdict(table), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def to_markdown(table: TableModel) -> str:
    """The paper's layout: our numbers, and the paper's in a line of their own below."""
    title = table.title if table.number is None else f"Table {table.number}. {table.title}"
    top = ["Method", *(f"{column} {heading(metric)}" for column in table.columns for metric in table.metrics)]
    lines = [top, ["---"] + ["--:"] * (len(top) - 1)]
    lines += [[line.name, *line.numbers] for line in printed_rows(table)]
    body = "\n".join(f"| {' | '.join(text.translate(MARKDOWN) for text in line)} |" for line in lines)
    return f"{title.translate(MARKDOWN)}\n\n{body}\n"


FORMATS: dict[str, Callable[[TableModel], str]] = {
    "csv": to_csv,
    "json": to_json,
    "tex": latex_document,
    "md": to_markdown,
}


def write_tables(tables: tuple[TableModel, ...], folder: Path) -> list[Path]:
    """Every table in every format, as folder/table1.csv and so on."""
    paths = []
    for table in tables:
        for ending, text in FORMATS.items():
            path = folder / f"{table.name}.{ending}"
            write_text(path, text(table))
            paths.append(path)
    return paths


def _csv_line(table: TableModel, row: Row, cell: Cell, value: Value) -> list[object]:
    return [
        *(table.name, cell.row, row.kind, cell.quoted, cell.column, cell.target, cell.sensitive, cell.state),
        value.metric,
        *_summary(value.ours),
        *(_number(value.paper), _number(value.difference), value.tone or ""),
        *_difference(value.against_control),
        *_difference(value.against_base),
        _number(cell.balanced_accuracy.mean if cell.balanced_accuracy else None),
        _number(cell.majority_rate),
        *(cell.at_majority, cell.one_class, cell.own, cell.note),
    ]


def _summary(summary: Summary | None) -> list[object]:
    if summary is None:
        return [""] * 5
    return [*(_number(part) for part in (summary.mean, summary.sd, summary.low, summary.high)), summary.seeds]


def _difference(difference: Difference | None) -> list[str]:
    if difference is None:
        return [""] * 3
    return [_number(part) for part in (difference.value, difference.low, difference.high)]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"
