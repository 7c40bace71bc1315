"""The ablation figure: EO on top, accuracy below, over the number of prototypes and over the weight."""

import pandas as pd
from matplotlib.axes import Axes

from protofair.report.figures.picture import COLOURS, MARKERS, Picture, canvas, finish, legend
from protofair.report.model import ReportModel

AXES = {"num_prototypes": "number of prototypes K", "weight": "weight λ"}
METRICS = {"equalized_odds": "EO (%)", "accuracy": "accuracy (%)"}


def draw_ablation(model: ReportModel) -> Picture | None:
    """None as long as no point of it is there."""
    data = model.figures.ablation
    if data.empty:
        return None
    varied = [name for name in AXES if name in set(data["vary"])]
    with canvas(4.2 * len(varied), 5.2) as figure:
        axes = figure.subplots(len(METRICS), len(varied), squeeze=False, sharex="col", sharey="row")
        for across, name in enumerate(varied):
            for down, metric in enumerate(METRICS):
                points = data[(data["vary"] == name) & (data["metric"] == metric)]
                _panel(axes[down][across], points, spread=name == "num_prototypes")
            axes[-1][across].set_xlabel(AXES[name])
        for down, label in enumerate(METRICS.values()):
            axes[down][0].set_ylabel(label)
        legend(figure, list(axes.flat), title="target and sensitive attribute")
    return finish(
        figure,
        name="ablation",
        title="Ablation over K and λ",
        caption="Equalized odds (top, lower is fairer) and accuracy (bottom). Bars are 95 % intervals.",
        alternative="Line charts of equalized odds and accuracy over the number of prototypes and over the weight.",
        data=data,
    )


def _panel(axis: Axes, data: pd.DataFrame, *, spread: bool) -> None:
    """A line for each pair. `spread` values stand at equal distances: 2 and 50 prototypes fit no linear axis."""
    values = sorted(set(data["value"]))
    for number, (column, points) in enumerate(data.groupby("column", sort=False)):
        points = points.sort_values("value")
        axis.errorbar(
            [values.index(value) for value in points["value"]] if spread else points["value"],
            points["mean"],
            yerr=[(points["mean"] - points["low"]).clip(lower=0), (points["high"] - points["mean"]).clip(lower=0)],
            color=COLOURS[number % len(COLOURS)],
            marker=MARKERS[number % len(MARKERS)],
            capsize=2,
            markersize=4,
            linewidth=1.2,
            label=str(column),
        )
    if spread:
        axis.set_xticks(range(len(values)), [f"{value:g}" for value in values])
