"""How training went: losses over epochs, and which clusters the groups fell into."""

import matplotlib as mpl
import pandas as pd

from protofair.report.figures.picture import COLOURS, STYLE, Picture, finish, new_figure
from protofair.report.model import ReportModel

MOST = 8  # lines in a panel: more cannot be told apart


def draw_curves(model: ReportModel) -> Picture | None:
    """The base loss of warm-ups; of fair phases also the term and the purity of their pairs."""
    if not model.curves:
        return None
    wanted = (
        ("warmup", "base", "warm-up: base loss"),
        ("fair", "base", "fair phase: base loss"),
        ("fair", "fair", "fair phase: ProtoFair term"),
        ("fair", "clusters.pair_purity", "fair phase: pairs with the same target (%)"),
    )
    panels = [part for part in wanted if _lines(model, part[0], part[1])]
    if not panels:
        return None
    figure = new_figure(7.2, 2.7 * (-(-len(panels) // 2)))
    with mpl.rc_context(STYLE):
        axes = figure.subplots(-(-len(panels) // 2), 2, squeeze=False)
        for axis in axes.flat[len(panels) :]:
            axis.set_visible(False)
        for axis, (stage, column, title) in zip(axes.flat, panels, strict=False):
            for number, (key, frame) in enumerate(_lines(model, stage, column)[:MOST]):
                axis.plot(frame["epoch"], frame[column], color=COLOURS[number], linewidth=1, label=key)
            axis.set_title(title, fontsize=8)
            axis.set_xlabel("epoch", fontsize=8)
            axis.legend(fontsize=4.5)
    data = pd.concat([curve.frame.assign(stage=curve.stage, key=curve.key) for curve in model.curves.values()])
    return finish(
        figure,
        name="training",
        title="Training curves",
        caption=f"The first {MOST} runs of each kind; the data has all.",
        alternative="Line charts of losses and pair purity over epochs.",
        data=data,
    )


def draw_occupancy(model: ReportModel) -> Picture | None:
    """Share of each cluster by sensitive group at the end of fair phases."""
    curves = [curve for curve in model.curves.values() if curve.occupancy is not None][:MOST]
    if not curves:
        return None
    figure = new_figure(7.2, 2.0 * (-(-len(curves) // 2)))
    with mpl.rc_context(STYLE):
        axes = figure.subplots(-(-len(curves) // 2), 2, squeeze=False)
        for axis in axes.flat[len(curves) :]:
            axis.set_visible(False)
        for axis, curve in zip(axes.flat, curves, strict=False):
            assert curve.occupancy is not None
            shares = curve.occupancy.pivot_table(index="cluster", columns="group", values="share", aggfunc="sum")
            bottom = pd.Series(0.0, index=shares.index)
            for number, group in enumerate(shares.columns):
                axis.bar(
                    shares.index,
                    100 * shares[group],
                    bottom=100 * bottom,
                    color=COLOURS[number],
                    label=f"group {group}",
                )
                bottom = bottom + shares[group].fillna(0)
            axis.set_title(curve.key, fontsize=6)
            axis.set_ylabel("% of samples", fontsize=7)
        axes[0][0].legend(fontsize=7)
    data = pd.concat([curve.occupancy.assign(key=curve.key) for curve in curves])  # type: ignore[union-attr]
    return finish(
        figure,
        name="occupancy",
        title="Clusters by sensitive group",
        caption="A cluster with both groups offers pseudo-counterfactual pairs; a cluster of one group offers none.",
        alternative="Stacked bars: the share of samples in each cluster, by sensitive group.",
        data=data,
    )


def _lines(model: ReportModel, stage: str, column: str) -> list[tuple[str, pd.DataFrame]]:
    return [
        (curve.key, curve.frame.dropna(subset=[column]))
        for curve in model.curves.values()
        if curve.stage == stage and column in curve.frame and curve.frame[column].notna().any()
    ]
