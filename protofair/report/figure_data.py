"""The data behind the figures, as tables of plain numbers."""

import pandas as pd

from protofair.report.model import Figures, TableModel
from protofair.report.results import Results

ABLATED = ("equalized_odds", "accuracy")
ABLATION = ["vary", "value", "column", "metric", "mean", "sd", "low", "high", "seeds"]
AXES = ("accuracy", "equalized_odds")
ENDS = ("", "_low", "_high")
PARETO = ["table", "column", "row", "kind", "source", *(f"{axis}{end}" for axis in AXES for end in ENDS)]


def build_figures(results: Results, tables: tuple[TableModel, ...]) -> Figures:
    waiting = [
        run.command for cell in results.ablation.values() for run in cell.runs.values() if run.state == "pending"
    ]
    return Figures(results.panels, _ablation(results), tuple(dict.fromkeys(waiting)), _pareto(tables))


def _ablation(results: Results) -> pd.DataFrame:
    rows = []
    for (vary, value, column), cell in results.ablation.items():
        for metric in ABLATED:
            summary = cell.summary(metric)
            if summary:
                numbers = (summary.mean, summary.sd, summary.low, summary.high, summary.seeds)
                rows.append([vary, value, column, metric, *numbers])
    return pd.DataFrame(rows, columns=ABLATION)


def _pareto(tables: tuple[TableModel, ...]) -> pd.DataFrame:
    """Accuracy against EO of every cell that has both, ours and the paper's."""
    rows = []
    for table in tables:
        for row in table.rows:
            for cell in row.cells:
                values = {value.metric: value for value in cell.numbers}
                if not all(axis in values for axis in AXES):
                    continue
                ours = [values[axis].ours for axis in AXES]
                paper = [values[axis].paper for axis in AXES]
                place = [table.name, cell.column, cell.row, row.kind]
                if None not in ours:
                    ends = [end for found in ours if found for end in (found.mean, found.low, found.high)]
                    rows.append([*place, "ours", *ends])
                if None not in paper:
                    rows.append([*place, "paper", *(end for number in paper for end in (number, None, None))])
    return pd.DataFrame(rows, columns=PARETO)
