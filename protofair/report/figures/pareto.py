"""Accuracy against EO for all methods: the view that shows a trade-off, which the paper lacks."""

import matplotlib as mpl

from protofair.report.figures.picture import COLOURS, MARKERS, STYLE, Picture, finish, new_figure
from protofair.report.model import ReportModel

ACROSS = 3


def draw_pareto(model: ReportModel) -> Picture | None:
    """A panel for each column of each table; None as long as there is no point of ours."""
    data = model.figures.pareto
    ours = data[data["source"] == "ours"]
    if ours.empty:
        return None
    panels = list(ours.groupby(["table", "column"], sort=False).groups)
    names = list(dict.fromkeys(zip(ours["row"], ours["kind"], strict=True)))
    down = -(-len(panels) // ACROSS)
    figure = new_figure(3.1 * min(ACROSS, len(panels)), 2.5 * down + 0.6)
    with mpl.rc_context(STYLE):
        axes = figure.subplots(down, min(ACROSS, len(panels)), squeeze=False)
        for axis in axes.flat[len(panels) :]:
            axis.set_visible(False)
        for axis, (table, column) in zip(axes.flat, panels, strict=False):
            points = ours[(ours["table"] == table) & (ours["column"] == column)]
            for point in points.itertuples():
                number = names.index((point.row, point.kind))
                axis.errorbar(
                    point.equalized_odds,
                    point.accuracy,
                    xerr=_whiskers(point.equalized_odds, point.equalized_odds_low, point.equalized_odds_high),
                    yerr=_whiskers(point.accuracy, point.accuracy_low, point.accuracy_high),
                    color=COLOURS[number % len(COLOURS)],
                    marker=MARKERS[number % len(MARKERS)],
                    markersize=5,
                    elinewidth=0.7,
                    linestyle="none",
                    label=point.row if point.kind != "control" else f"{point.row}: control",
                )
            axis.set_title(f"{table.replace('table', 'Table ')}, {column}", fontsize=8)
            axis.set_xlabel("EO (%), fairer to the left", fontsize=7)
            axis.set_ylabel("accuracy (%)", fontsize=7)
        handles = {}
        for axis in axes.flat:
            found, labels = axis.get_legend_handles_labels()
            handles.update(zip(labels, found, strict=True))
        figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=3, fontsize=7)
    return finish(
        figure,
        name="pareto",
        title="Accuracy against equalized odds",
        caption="Up and to the left is better. Crosses are 95 % intervals; controls had the same training without the term.",
        alternative="Scatter plots of accuracy against equalized odds, a panel for each column of the tables.",
        data=data,
    )


def _whiskers(middle: float, low: float, high: float) -> list[list[float]]:
    return [[max(0.0, middle - low)], [max(0.0, high - middle)]]
