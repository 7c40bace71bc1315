"""Accuracy against EO for all methods of a table: the view that shows a trade-off, which the paper lacks."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from protofair.report.figures.picture import COLOURS, GREY, MARKERS, Picture, canvas, finish, grid, legend
from protofair.report.model import ReportModel

ACROSS = 3


def draw_pareto(model: ReportModel) -> list[Picture]:
    """A picture for each table that has a number of ours, with a panel for each column."""
    data = model.figures.pareto
    titles = {table.name: f"Table {table.number}" if table.number else table.title for table in model.tables}
    done = dict.fromkeys(data.loc[data["source"] == "ours", "table"])
    return [_draw(str(name), titles[name], data[data["table"] == name]) for name in done]


def _draw(table: str, title: str, data: pd.DataFrame) -> Picture:
    names = list(dict.fromkeys(_label(row) for row in data.to_dict("records")))
    panels = list(data.groupby("column", sort=False))
    down = -(-len(panels) // ACROSS)
    with canvas(3.1 * max(2, min(ACROSS, len(panels))), 2.5 * down + 0.3 + 0.16 * (-(-len(names) // 3))) as figure:
        axes = grid(figure, len(panels), across=ACROSS)
        for axis, (column, points) in zip(axes, panels, strict=True):
            for point in points.sort_values("source", ascending=False).to_dict("records"):  # ours over the paper's
                _point(axis, point, names.index(_label(point)))
            _front(axis, points[points["source"] == "ours"])
            axis.set_title(str(column))
            axis.set_xlabel("EO (%), fairer to the left")
        for axis in axes[::ACROSS]:
            axis.set_ylabel("accuracy (%)")
        legend(figure, axes, columns=3)
    return finish(
        figure,
        name=f"pareto-{table}",
        title=f"Accuracy against equalized odds, {title}",
        caption="Up and to the left is better. Filled: ours with 95 % intervals, those on the dotted line beaten by"
        " none of ours in both. Hollow: the paper’s numbers. A control had the same training without the term.",
        alternative=f"Scatter plots of accuracy against equalized odds, a panel for each column of {title}.",
        data=data,
    )


def _label(row: dict[Any, Any]) -> str:
    return f"{row['row']}: control" if row["kind"] == "control" else str(row["row"])


def _point(axis: Axes, point: dict[Any, Any], number: int) -> None:
    ours = point["source"] == "ours"
    colour = COLOURS[number % len(COLOURS)]
    axis.errorbar(
        point["equalized_odds"],
        point["accuracy"],
        xerr=_whiskers(point, "equalized_odds") if ours else None,
        yerr=_whiskers(point, "accuracy") if ours else None,
        color=colour,
        marker=MARKERS[number % len(MARKERS)],
        markersize=5,
        markerfacecolor=colour if ours else "none",
        elinewidth=0.7,
        linestyle="none",
        label=_label(point),
    )


def _whiskers(point: dict[Any, Any], axis: str) -> list[list[float]]:
    middle, low, high = (point[f"{axis}{end}"] for end in ("", "_low", "_high"))
    return [[max(0.0, middle - low)], [max(0.0, high - middle)]]


def _front(axis: Axes, ours: pd.DataFrame) -> None:
    """A line through the points that no other has both a higher accuracy and a lower EO than."""
    ordered = ours.sort_values(["equalized_odds", "accuracy"], ascending=[True, False])
    front = ordered[ordered["accuracy"] > ordered["accuracy"].cummax().shift(fill_value=float("-inf"))]
    axis.plot(front["equalized_odds"], front["accuracy"], color=GREY, linestyle=":", linewidth=1, zorder=1)
