"""The paper's own numbers, from `params/reference.yaml`."""

from pathlib import Path
from typing import Self

from pydantic import Field, model_validator

from protofair.core.strict import Strict, parse, read_yaml

REFERENCE = Path("params/reference.yaml")


class Paper(Strict):
    title: str
    authors: str
    arxiv: str


class Row(Strict):
    """The metrics of a row, column by column."""

    quoted: bool
    rule: bool = False  # the paper draws a line above it
    values: tuple[float, ...]


class Table(Strict):
    """A table as the paper lays it out."""

    number: int
    title: str
    section: str
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

    def digits(self, metric: str) -> int:
        """The decimals the paper prints of a metric."""
        start, step = self.metrics.index(metric), len(self.metrics)
        return max(len(str(value).partition(".")[2]) for row in self.rows.values() for value in row.values[start::step])


class Ablation(Strict):
    """What the text says of the ablation figure, which prints no numbers."""

    accuracy_over_num_prototypes: tuple[float, float]
    sweet_spot_of_weight: tuple[float, float]
    accuracy_falls_from_weight: float


class Reference(Strict):
    paper: Paper
    tables: dict[str, Table] = Field(min_length=1)
    ablation: Ablation


def read_reference(path: Path = REFERENCE) -> Reference:
    return parse(Reference, read_yaml(path), where=str(path))
