"""A drawn figure: what the page shows, what a paper includes, and the numbers behind it. The same data, the same bytes."""

import io
from dataclasses import dataclass

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure

# Okabe and Ito's colours can be told apart with any colour vision; markers differ too, so colour is never alone.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D31")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "protofair",
    "pdf.fonttype": 42,
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "figure.constrained_layout.use": True,
    "legend.frameon": False,
}
DPI = 120


@dataclass(frozen=True)
class Picture:
    """A figure in the formats people want; `image` is SVG, or PNG where there are thousands of points."""

    name: str
    title: str
    caption: str
    alternative: str  # what it shows, for those who cannot see it
    image: bytes
    media_type: str
    pdf: bytes
    data: pd.DataFrame


def new_figure(width: float, height: float) -> Figure:
    """A figure without a window or global state."""
    with mpl.rc_context(STYLE):
        return Figure(figsize=(width, height), layout="constrained")


def finish(
    figure: Figure, *, name: str, title: str, caption: str, alternative: str, data: pd.DataFrame, raster: bool = False
) -> Picture:
    """Render a figure; without dates, so that the same figure gives the same bytes."""
    image, pdf = io.BytesIO(), io.BytesIO()
    with mpl.rc_context(STYLE):
        if raster:
            figure.savefig(image, format="png", dpi=DPI, metadata={"Software": None})
        else:
            figure.savefig(image, format="svg", metadata={"Date": None, "Creator": None})
        figure.savefig(pdf, format="pdf", metadata={"CreationDate": None, "Creator": None, "Producer": None})
    media_type = "image/png" if raster else "image/svg+xml"
    return Picture(name, title, caption, alternative, image.getvalue(), media_type, pdf.getvalue(), data)
