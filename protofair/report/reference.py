"""The paper's own numbers, from `params/reference.yaml`."""

from pathlib import Path
from typing import Any, Self

from pydantic import Field, model_validator

from protofair.strict import Strict, parse, read_yaml

REFERENCE = Path("params/reference.yaml")


class Paper(Strict):
    title: str
    authors: str
    arxiv: str


class Row(Strict):
    """The metrics of a row, column by column."""

    quoted: bool
    values: tuple[float, ...]


class Table(Strict):
    """A table as the paper lays it out."""

    number: int
    title: str
    metrics: tuple[str, ...]
    columns: tuple[str, ...]
    rows: dict[str, Row]

    @model_validator(mode="after")
    def _complete(self) -> Self:
        for name, row in self.rows.items():
            if len(row.values) != len(self.columns) * len(self.metrics):
                raise ValueError(f"row '{name}' needs {len(self.columns) * len(self.metrics)} values")
        return self

    def value(self, row: str, column: str, metric: str) -> float | None:
        """What the paper prints there, or None where it has no such cell."""
        if row not in self.rows or column not in self.columns or metric not in self.metrics:
            return None
        return self.rows[row].values[self.columns.index(column) * len(self.metrics) + self.metrics.index(metric)]


class Reference(Strict):
    paper: Paper
    tables: dict[str, Table] = Field(min_length=1)
    ablation: dict[str, Any]


def read_reference(path: Path = REFERENCE) -> Reference:
    return parse(Reference, read_yaml(path), where=str(path))
