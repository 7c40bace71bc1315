"""A drawn figure: what the page shows, what a paper includes, the numbers behind it. The same data, the same bytes."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.typing import RcKeyType

# Okabe and Ito's colours can be told apart with any colour vision. Markers differ too, so colour is never alone: seven
# of the ones against eight of the others make 56 pairs before one comes again.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
GREY = "#808080"  # of what is no data
STYLE: dict[RcKeyType, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "protofair",
    "pdf.fonttype": 42,
    "font.family": "sans-serif",
    "font.size": 9,
    "text.parse_math": False,  # a name with dollars is a name
    "axes.titlesize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.alpha": 0.25,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "image.composite_image": False,
}
DPI = 150  # of what is raster in a figure: clouds of points, photographs
# matplotlib leaves black text without a colour and draws axes in black; on a dark page both turn light.
DARK = (
    b"<style>@media (prefers-color-scheme: dark) {"
    b" text { fill: #e8eaed; }"
    b' [style*="stroke: #000000"] { stroke: #e8eaed !important; }'
    b' [style*="fill: #000000"] { fill: #e8eaed !important; }'
    b" }</style></svg>"
)


@dataclass(frozen=True)
class Picture:
    """A figure in the formats people want."""

    name: str
    title: str
    caption: str
    alternative: str  # what it shows, for those who cannot see it
    svg: bytes
    pdf: bytes
    data: pd.DataFrame

    @property
    def for_page(self) -> bytes:
        """The SVG without a background, which follows the colour scheme of the page it stands in."""
        return self.svg.rstrip().removesuffix(b"</svg>") + DARK


@contextmanager
def canvas(width: float, height: float) -> Iterator[Figure]:
    """A figure in the project's style, without a window or global state."""
    with mpl.rc_context(STYLE):
        yield Figure(figsize=(width, height), layout="constrained")


def grid(figure: Figure, panels: int, *, across: int, **options: Any) -> list[Axes]:
    """Axes for so many panels, in rows."""
    across = min(across, panels)
    axes = list(figure.subplots(-(-panels // across), across, squeeze=False, **options).flat)
    for axis in axes[panels:]:
        axis.set_axis_off()
    return axes[:panels]


def legend(figure: Figure, axes: list[Axes], *, columns: int = 4, **options: Any) -> None:
    """One legend for all axes, below them, where it covers nothing."""
    handles: dict[str, Any] = {}
    for axis in axes:
        found, labels = axis.get_legend_handles_labels()
        handles |= dict(zip(labels, found, strict=True))
    figure.legend([*handles.values()], [*handles], loc="outside lower center", ncols=columns, **options)


def finish(figure: Figure, *, name: str, title: str, caption: str, alternative: str, data: pd.DataFrame) -> Picture:
    """Render a figure; without dates, so that the same figure gives the same bytes."""
    svg, pdf = io.BytesIO(), io.BytesIO()
    with mpl.rc_context(STYLE):
        layout = figure.get_layout_engine()
        assert layout is not None
        layout.execute(figure)
        figure.set_layout_engine(None)  # laid out once, not again for each format
        figure.savefig(svg, format="svg", dpi=DPI, transparent=True, metadata={"Date": None, "Creator": None})
        figure.savefig(pdf, format="pdf", dpi=DPI, metadata={"CreationDate": None, "Creator": None, "Producer": None})
    return Picture(name, title, caption, alternative, svg.getvalue(), pdf.getvalue(), data)
