"""The method in one picture: two heads, pseudo-counterfactual pairs, batch and queue."""

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from protofair.report.figures.picture import COLOURS, STYLE, Picture, finish, new_figure

BLUE, ORANGE, GREEN, PURPLE = COLOURS[0], COLOURS[1], COLOURS[2], COLOURS[3]
# A drawing, not data: x, y, sensitive group, cluster of ten images in the embedding space.
SAMPLES = [
    (0.16, 0.78, 0, 0), (0.36, 0.88, 1, 0), (0.30, 0.64, 0, 0), (0.10, 0.58, 1, 0),
    (0.66, 0.80, 1, 1), (0.88, 0.86, 0, 1), (0.84, 0.62, 1, 1),
    (0.34, 0.22, 0, 2), (0.58, 0.14, 1, 2), (0.60, 0.36, 0, 2),
]  # fmt: skip
SHAPES = ("o", "s", "^")


def draw_method() -> Picture:
    figure = new_figure(9.6, 3.1)
    with mpl.rc_context(STYLE | {"axes.grid": False}):
        heads, pairs, losses = figure.subplots(1, 3)
        for axis, title in (
            (heads, "(a) two heads on one encoder"),
            (pairs, "(b) pairs"),
            (losses, "(c) batch and queue"),
        ):
            axis.set(xlim=(0, 1), ylim=(0, 1))
            axis.set_axis_off()
            axis.set_title(title, fontsize=9)
        _heads(heads)
        _pairs(pairs)
        _losses(losses)
    return finish(
        figure,
        name="method",
        title="The method",
        caption="(a) The contrastive head g serves the base objective; the cluster head h, which no gradient reaches, only"
        " assigns images to prototypes. (b) Colour is the sensitive group, shape the cluster: the same cluster and another"
        " group make a pair (solid); every other pair (dotted) stands in the denominator alone. (c) Pairs are sought in the"
        " batch and in a queue of past batches; both losses are added to the base objective.",
        alternative="A diagram: encoder with contrastive and cluster head; pairs across groups within clusters; losses over"
        " batch and queue.",
        data=pd.DataFrame(SAMPLES, columns=["x", "y", "group", "cluster"]),
    )


def _box(axis: Axes, x: float, y: float, text: str, colour: str, width: float = 0.3) -> None:
    shape = FancyBboxPatch(
        (x - width / 2, y - 0.08), width, 0.16, boxstyle="round,pad=0.02", fill=False, ec=colour, lw=1.5
    )
    axis.add_patch(shape)
    axis.text(x, y, text, ha="center", va="center", fontsize=8)


def _arrow(axis: Axes, start: tuple[float, float], end: tuple[float, float], style: str = "-") -> None:
    axis.annotate("", end, start, arrowprops={"arrowstyle": "->", "lw": 1, "linestyle": style, "color": "#444444"})


def _heads(axis: Axes) -> None:
    _box(axis, 0.18, 0.5, "encoder f", BLUE, 0.26)
    _box(axis, 0.58, 0.75, "head g", GREEN, 0.22)
    _box(axis, 0.58, 0.25, "head h", PURPLE, 0.22)
    _arrow(axis, (0.33, 0.55), (0.45, 0.72))
    _arrow(axis, (0.33, 0.45), (0.45, 0.28), "--")
    axis.text(0.36, 0.30, "no gradient", fontsize=6.5, rotation=-48, ha="center", va="center", color="#444444")
    _arrow(axis, (0.71, 0.75), (0.79, 0.75))
    _arrow(axis, (0.71, 0.25), (0.79, 0.25))
    axis.text(0.81, 0.75, "$z$, losses", fontsize=8, va="center")
    axis.scatter([0.83, 0.90, 0.97], [0.28, 0.20, 0.30], marker="*", s=70, color=PURPLE)
    axis.text(0.90, 0.06, "prototypes: K-means,\nthen moving average", fontsize=6.5, ha="center")


def _pairs(axis: Axes) -> None:
    for number, (x, y, group, cluster) in enumerate(SAMPLES):
        for other_x, other_y, other_group, other_cluster in SAMPLES[:number]:
            if cluster == other_cluster:
                solid = group != other_group
                colour, style = (GREEN, "-") if solid else ("#888888", ":")
                axis.plot([x, other_x], [y, other_y], color=colour, linestyle=style, linewidth=1.4, zorder=1)
        axis.scatter(x, y, marker=SHAPES[cluster], s=80, color=(BLUE, ORANGE)[group], zorder=2)
    axis.plot([0.36, 0.66], [0.88, 0.80], color="#888888", linestyle=":", linewidth=1.4, zorder=1)


def _losses(axis: Axes) -> None:
    _box(axis, 0.25, 0.75, "this batch", BLUE, 0.34)
    for number in range(4):
        _box(
            axis,
            0.25 + 0.02 * number,
            0.32 - 0.03 * number,
            "",
            "#777777",
            0.4,
        )
    axis.text(0.28, 0.04, "queue of past batches", fontsize=8, ha="center")
    axis.text(0.78, 0.75, "$L_{within}$", fontsize=10, va="center")
    axis.text(0.78, 0.28, "$L_{cross}$", fontsize=10, va="center")
    _arrow(axis, (0.45, 0.75), (0.75, 0.75))
    _arrow(axis, (0.45, 0.70), (0.75, 0.32))
    _arrow(axis, (0.54, 0.26), (0.75, 0.27))
    axis.text(0.5, 0.99, "$L = L_{SSL} + \\lambda\\,(L_{within} + L_{cross})$", fontsize=9, ha="center", va="top")
