"""The ablation figure: EO on top, accuracy below, over the number of prototypes and over the weight."""

import matplotlib as mpl

from protofair.report.figures.picture import COLOURS, MARKERS, STYLE, Picture, finish, new_figure
from protofair.report.model import ReportModel

AXES = {"num_prototypes": "number of prototypes $K$", "weight": "weight $\\lambda$"}
METRICS = {"equalized_odds": "EO (%)", "accuracy": "accuracy (%)"}


def draw_ablation(model: ReportModel) -> Picture | None:
    """None as long as no point of it is there."""
    data = model.figures.ablation
    if data.empty:
        return None
    varied = [name for name in AXES if name in set(data["vary"])]
    figure = new_figure(3.6 * len(varied), 4.6)
    with mpl.rc_context(STYLE):
        axes = figure.subplots(len(METRICS), len(varied), squeeze=False, sharex="col", sharey="row")
        columns = list(dict.fromkeys(data["column"]))
        for across, name in enumerate(varied):
            for down, (metric, label) in enumerate(METRICS.items()):
                axis = axes[down][across]
                for number, column in enumerate(columns):
                    points = data[(data["vary"] == name) & (data["metric"] == metric) & (data["column"] == column)]
                    points = points.sort_values("value")
                    places = range(len(points)) if name == "num_prototypes" else points["value"]
                    low, high = points["mean"] - points["low"], points["high"] - points["mean"]
                    axis.errorbar(
                        places,
                        points["mean"],
                        yerr=[low.clip(lower=0), high.clip(lower=0)],
                        color=COLOURS[number % len(COLOURS)],
                        marker=MARKERS[number % len(MARKERS)],
                        capsize=2,
                        markersize=4,
                        linewidth=1.2,
                        label=column,
                    )
                    if name == "num_prototypes":
                        axis.set_xticks(list(places), [f"{value:g}" for value in points["value"]])
                if across == 0:
                    axis.set_ylabel(label)
            axes[-1][across].set_xlabel(AXES[name])
        axes[0][0].legend(title="target, sensitive", fontsize=8)
    return finish(
        figure,
        name="ablation",
        title="Ablation over K and λ",
        caption="Equalized odds (top, lower is fairer) and accuracy (bottom). Bars are 95 % intervals.",
        alternative="Line charts of equalized odds and accuracy over the number of prototypes and over the weight.",
        data=data,
    )
