"""Which clusters the sensitive groups fell into."""

from collections.abc import Iterator

import pandas as pd
from matplotlib.ticker import MaxNLocator

from protofair.plan.plan import Plan
from protofair.report.figures.picture import COLOURS, Picture, canvas, finish, grid, legend
from protofair.report.figures.training import describe
from protofair.report.model import ReportModel

MOST = 6  # panels
ACROSS = 3


def draw_occupancy(model: ReportModel, plan: Plan) -> Picture | None:
    """The clusters at the end of the first ProtoFair runs of the plan, one seed of each; None if none has a log."""
    shown = dict(list(_last_clusters(model, plan))[:MOST])
    if not shown:
        return None
    with canvas(9.4, 2.5 * (-(-len(shown) // ACROSS)) + 0.4) as figure:
        axes = grid(figure, len(shown), across=ACROSS)
        for axis, (key, clusters) in zip(axes, shown.items(), strict=True):
            shares = 100 * clusters.pivot_table(index="cluster", columns="group", values="share", aggfunc="sum")
            tops = shares.cumsum(axis=1)
            for place, group in enumerate(shares):
                colour, label = COLOURS[place % len(COLOURS)], f"sensitive group {group}"
                bottom = tops[group] - shares[group]
                axis.bar(shares.index, shares[group], bottom=bottom, color=colour, label=label, hatch="//" * place)
            axis.set_title(_title(plan, key), fontsize=8)
            axis.xaxis.set_major_locator(MaxNLocator(integer=True))
            axis.grid(axis="x", visible=False)
            axis.set_xlabel("cluster")
        for axis in axes[::ACROSS]:
            axis.set_ylabel("% of the images")
        legend(figure, axes)
    return finish(
        figure,
        name="occupancy",
        title="Clusters by sensitive group",
        caption="In the last epoch of fair phases. A cluster with both groups offers pseudo-counterfactual pairs; a"
        " cluster of one group offers none.",
        alternative="Stacked bars: the share of images in each cluster, by sensitive group.",
        data=pd.concat([clusters.assign(run=key) for key, clusters in shown.items()]),
    )


def _last_clusters(model: ReportModel, plan: Plan) -> Iterator[tuple[str, pd.DataFrame]]:
    seeds = {entry["seed"] for entry in plan.fair.values()}
    for curve in model.curves.values():
        entry = getattr(plan, curve.stage)[curve.key]
        if curve.occupancy is not None and entry["weight"] > 0 and entry["seed"] == min(seeds):
            yield curve.key, curve.occupancy


def _title(plan: Plan, key: str) -> str:
    entry, warmup = describe(plan, "fair", key)
    target = warmup["objective"].get("target", "no target")
    return f"{warmup['objective']['name']}, {warmup['data']}\n{target} / {entry['sensitive']}"
