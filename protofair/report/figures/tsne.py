"""The t-SNE figure: base objective and ProtoFair side by side, coloured by sensitive group."""

import pandas as pd
from matplotlib.axes import Axes

from protofair.report.figures.picture import COLOURS, Picture, canvas, finish, legend
from protofair.report.model import ReportModel, TsnePanel


def draw_tsne(model: ReportModel) -> Picture | None:
    """A line of panels for each target; None as long as there is no point."""
    panels = [(panel, panel.points) for panel in model.figures.tsne if panel.points is not None]
    if not panels:
        return None
    columns = list(dict.fromkeys(panel.column for panel, _ in panels))
    rows = list(dict.fromkeys(panel.row for panel, _ in panels))
    with canvas(3.4 * len(rows), 3.3 * len(columns) + 0.3) as figure:
        axes = figure.subplots(len(columns), len(rows), squeeze=False)
        for axis in axes.flat:
            axis.set_axis_off()
        for panel, points in panels:
            _panel(axes[columns.index(panel.column)][rows.index(panel.row)], panel, points)
        legend(figure, list(axes.flat), markerscale=3)
    return finish(
        figure,
        name="tsne",
        title="t-SNE of the test set, by sensitive group",
        caption="The mixing score is the share of nearest neighbours from the other group against chance: 1 is as"
        " mixed as chance, 0 is apart. It, not the picture, decides the claim.",
        alternative="Scatter plots of test images in the plane, coloured by sensitive group.",
        data=pd.concat([points.assign(row=panel.row, column=panel.column) for panel, points in panels]),
    )


def _panel(axis: Axes, panel: TsnePanel, points: pd.DataFrame) -> None:
    for number, (value, group) in enumerate(points.groupby("sensitive")):
        axis.scatter(
            group["x"],
            group["y"],
            s=4,
            alpha=0.6,
            linewidths=0,
            color=COLOURS[number % len(COLOURS)],
            label=f"{panel.sensitive} = {value}",
            rasterized=True,
        )
    mixing = panel.mixing.get("features")
    score = f"\nmixing {mixing.value:.2f} [{mixing.low:.2f}, {mixing.high:.2f}]" if mixing else ""
    axis.set_title(f"{panel.column}: {panel.row}{score}")
