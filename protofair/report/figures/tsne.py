"""The t-SNE figure: base objective and ProtoFair side by side, coloured by sensitive group."""

import matplotlib as mpl
import pandas as pd

from protofair.report.figures.picture import COLOURS, STYLE, Picture, finish, new_figure
from protofair.report.model import ReportModel


def draw_tsne(model: ReportModel) -> Picture | None:
    """A line of panels for each target; None as long as there is no point."""
    panels = [panel for panel in model.figures.tsne if panel.points is not None]
    if not panels:
        return None
    columns = list(dict.fromkeys(panel.column for panel in panels))
    rows = list(dict.fromkeys(panel.row for panel in panels))
    figure = new_figure(3.3 * len(rows), 3.2 * len(columns))
    with mpl.rc_context(STYLE):
        axes = figure.subplots(len(columns), len(rows), squeeze=False)
        for axis in axes.flat:
            axis.set_axis_off()
        for panel in panels:
            assert panel.points is not None
            axis = axes[columns.index(panel.column)][rows.index(panel.row)]
            for number, (value, points) in enumerate(panel.points.groupby("sensitive")):
                label = f"{panel.sensitive} = {value}"
                axis.scatter(points["x"], points["y"], s=4, alpha=0.6, linewidths=0, color=COLOURS[number], label=label)
            mixing = panel.mixing.get("features")
            score = f"\nmixing {mixing.value:.2f} [{mixing.low:.2f}, {mixing.high:.2f}]" if mixing else ""
            axis.set_title(f"{panel.column}: {panel.row}{score}", fontsize=8)
        axes[0][0].legend(markerscale=3, fontsize=7, loc="upper left")
    data = pd.concat([panel.points.assign(row=panel.row, column=panel.column) for panel in panels])  # type: ignore[union-attr]
    return finish(
        figure,
        name="tsne",
        title="t-SNE of the test set, by sensitive group",
        caption="The mixing score is the share of nearest neighbours from the other group against chance: 1 is as mixed as"
        " chance, 0 is apart. It, not the picture, decides the claim.",
        alternative="Scatter plots of test images in the plane, coloured by sensitive group.",
        data=data,
        raster=True,
    )
