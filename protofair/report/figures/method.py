"""The method in one picture, as in the paper's Figure 1: two heads, pseudo-counterfactual pairs, batch and queue."""

import itertools
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyBboxPatch

from protofair.report.figures.picture import COLOURS, GREY, Picture, canvas, finish

BLUE, ORANGE, GREEN, PURPLE = COLOURS[0], COLOURS[1], COLOURS[2], COLOURS[3]
RED = "#C0392B"
GROUPS = (BLUE, ORANGE)
# A drawing, not data: x, y, sensitive group, cluster of ten images in the embedding space.
SAMPLES = [
    (0.13, 0.80, 0, 0), (0.34, 0.90, 1, 0), (0.36, 0.66, 0, 0), (0.15, 0.58, 1, 0),
    (0.68, 0.88, 1, 1), (0.90, 0.82, 0, 1), (0.76, 0.62, 1, 1),
    (0.36, 0.26, 0, 2), (0.62, 0.16, 1, 2), (0.62, 0.38, 0, 2),
]  # fmt: skip
CENTRES = ((0.245, 0.735), (0.78, 0.773), (0.533, 0.267))
SHAPES = ("o", "s", "^")


def draw_method() -> Picture:
    with canvas(10.2, 3.5) as figure:
        heads, pairs, losses = figure.subplots(1, 3)
        for axis, title in ((heads, "(a) two heads"), (pairs, "(b) pairs"), (losses, "(c) batch and queue")):
            axis.set(xlim=(0, 1), ylim=(0, 1))
            axis.set_axis_off()
            axis.set_title(title)
        _heads(heads)
        _pairs(pairs)
        _losses(losses)
    return finish(
        figure,
        name="method",
        title="The method",
        caption="(a) The contrastive head g serves the base objective; the cluster head h, which no gradient reaches,"
        " only assigns images to prototypes (stars). (b) Colour is the sensitive group, shape the cluster: the same"
        " cluster and another group make a pair (solid); another cluster (dashed) or the same group (dotted) stands in"
        " the denominator alone. (c) Pairs are sought in the batch and in a queue of past batches.",
        alternative="A diagram: an encoder with a contrastive and a cluster head; pairs across groups within clusters;"
        " losses over the batch and a queue.",
        data=pd.DataFrame(SAMPLES, columns=["x", "y", "group", "cluster"]),
    )


def _text(axis: Axes, x: float, y: float, text: str, **options: Any) -> None:
    usual: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 8, "parse_math": True}
    axis.text(x, y, text, **usual | options)


def _box(axis: Axes, x: float, y: float, text: str, colour: str, *, width: float = 0.26, height: float = 0.15) -> None:
    corner = (x - width / 2, y - height / 2)
    axis.add_patch(FancyBboxPatch(corner, width, height, boxstyle="round,pad=0.02", fill=False, ec=colour, lw=1.6))
    _text(axis, x, y, text)


def _arrow(axis: Axes, start: tuple[float, float], end: tuple[float, float], style: str = "-") -> None:
    axis.annotate("", end, start, arrowprops={"arrowstyle": "->", "lw": 1, "linestyle": style, "color": GREY})


def _line(axis: Axes, start: tuple[float, float], end: tuple[float, float], kind: str) -> None:
    colour, style, width = {"pair": (GREEN, "-", 1.8), "cluster": (RED, "--", 1.0), "group": (GREY, ":", 1.4)}[kind]
    xs, ys = zip(start, end, strict=True)
    axis.plot(xs, ys, color=colour, linestyle=style, linewidth=width, zorder=1)


def _heads(axis: Axes) -> None:
    _text(axis, 0.03, 0.52, "images\n$x$")
    _box(axis, 0.30, 0.52, "encoder\n$f_\\theta$", BLUE, width=0.20, height=0.20)
    _box(axis, 0.70, 0.82, "contrastive\nhead $g_\\varphi$", GREEN)
    _box(axis, 0.70, 0.36, "cluster\nhead $h_\\psi$", PURPLE)
    _arrow(axis, (0.09, 0.52), (0.18, 0.52))
    _arrow(axis, (0.42, 0.58), (0.54, 0.78))
    _arrow(axis, (0.42, 0.48), (0.54, 0.39), "--")
    _text(axis, 0.40, 0.33, "no gradient", fontsize=7, color=GREY)
    _arrow(axis, (0.70, 0.93), (0.70, 1.0))
    _text(axis, 0.98, 0.96, "$z$ to both losses", fontsize=7, ha="right")
    _arrow(axis, (0.70, 0.25), (0.70, 0.18))
    axis.scatter([0.58, 0.70, 0.82], [0.11, 0.14, 0.11], marker="*", s=90, color=PURPLE)
    _text(axis, 0.70, 0.0, "prototypes: K-means, then\nmoving average", fontsize=7)


def _pairs(axis: Axes) -> None:
    for centre in CENTRES:
        axis.add_patch(Circle(centre, 0.21, color=GREY, alpha=0.12, lw=0))
        axis.scatter(*centre, marker="*", s=70, color=PURPLE, zorder=2)
    for one, other in itertools.combinations(SAMPLES, 2):
        if one[3] == other[3]:
            _line(axis, one[:2], other[:2], "pair" if one[2] != other[2] else "group")
    for first, second in ((1, 4), (3, 7), (6, 9)):
        _line(axis, SAMPLES[first][:2], SAMPLES[second][:2], "cluster")
    for x, y, group, cluster in SAMPLES:
        axis.scatter(x, y, marker=SHAPES[cluster], s=80, color=GROUPS[group], zorder=3)


def _losses(axis: Axes) -> None:
    _row(axis, 0.82, (0, 1, 1, 0), BLUE)
    _text(axis, 0.22, 0.94, "this batch", fontsize=8)
    for number in range(3):
        _row(axis, 0.42 - 0.14 * number, ((1, 0, 1, 0), (0, 0, 1, 1), (1, 1, 0, 0))[number], GREY)
    _text(axis, 0.22, 0.0, "queue of past batches", fontsize=8)
    _line(axis, (0.07, 0.82), (0.17, 0.82), "pair")
    _line(axis, (0.07, 0.82), (0.07, 0.42), "pair")
    _line(axis, (0.27, 0.82), (0.37, 0.28), "pair")
    _arrow(axis, (0.47, 0.82), (0.62, 0.82))
    _arrow(axis, (0.47, 0.78), (0.62, 0.46))
    _arrow(axis, (0.47, 0.28), (0.62, 0.38))
    _text(axis, 0.74, 0.82, "$L_{within}$", fontsize=11)
    _text(axis, 0.74, 0.42, "$L_{cross}$", fontsize=11)
    _text(axis, 0.74, 0.62, "$L_{CF}$ = sum of both", fontsize=9)
    _text(axis, 0.74, 0.12, "$L = L_{SSL} + \\lambda L_{CF}$", fontsize=10)


def _row(axis: Axes, y: float, groups: tuple[int, ...], colour: str) -> None:
    """A batch of images."""
    axis.add_patch(
        FancyBboxPatch((0.02, y - 0.04), 0.40, 0.08, boxstyle="round,pad=0.015", fill=False, ec=colour, lw=1.2)
    )
    for place, group in enumerate(groups):
        axis.scatter(0.07 + 0.1 * place, y, s=45, color=GROUPS[group], zorder=3)
