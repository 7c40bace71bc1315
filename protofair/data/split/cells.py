"""The cells of a split as a table and as a picture."""

import io
from collections.abc import Sequence

import matplotlib
import pandas as pd
from matplotlib.figure import Figure

from protofair.core.errors import UserError
from protofair.data.split.attribute import value_name
from protofair.data.split.build import Split

PARTS = {"train": "#3b6fb6", "val": "#e0a030", "test": "#2f8f6b", "unused": "#d9d9d9"}  # with their colours


def cell_names(split: Split) -> list[str]:
    """The cells in words: 'male, White'."""
    target, sensitive = split.config.target, split.config.sensitive
    values = zip(split.cells["target"], split.cells["sensitive"], strict=True)
    return [f"{value_name(target, t)}, {value_name(sensitive, s)}" for t, s in values]


def cells_csv(splits: Sequence[Split]) -> str:
    """All cells as CSV: alpha, the two values, the cell in words, and the counts."""
    tables = []
    for split in splits:
        for attribute in (split.config.target, split.config.sensitive):
            if attribute in ("alpha", "cell", *PARTS):
                raise UserError(f"split: cells.csv has a column '{attribute}' of its own. Rename that of the labels.")
        table = split.cells.rename(columns={"target": split.config.target, "sensitive": split.config.sensitive})
        table.insert(0, "alpha", f"{split.config.alpha:g}")
        table.insert(3, "cell", cell_names(split))
        tables.append(table)
    return pd.concat(tables).to_csv(index=False, lineterminator="\n")


def cells_text(split: Split) -> str:
    """The cells as text to print, with the ratio of the training set in each sensitive group, and the sums."""
    config, cells, names = split.config, split.cells, cell_names(split)
    ratio = cells["train"] / cells.groupby("sensitive")["train"].transform("min")
    width = max(len(name) for name in names)
    lines = [
        f"alpha {config.alpha:g}: {config.target} by {config.sensitive}, {config.sizes} sizes, seed {config.seed}",
        " " * width + "".join(f"{part:>9}" for part in (*PARTS, "ratio")),
    ]
    for row, name in enumerate(names):
        counts = "".join(f"{cells[part][row]:>9,}" for part in PARTS)
        lines.append(f"{name:<{width}}{counts}{ratio[row]:>9.5g}")
    lines.append(f"{'all':<{width}}" + "".join(f"{cells[part].sum():>9,}" for part in PARTS))
    return "\n".join(lines)


def cells_svg(splits: Sequence[Split]) -> bytes:
    """The cells as bars, one panel a split; the same splits give the same bytes."""
    height = 0.6 + sum(0.5 + 0.28 * len(split.cells) for split in splits)
    with matplotlib.rc_context({"svg.hashsalt": "protofair", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(8, height), layout="constrained")
        panels = figure.subplots(len(splits), sharex=True, squeeze=False)[:, 0]
        for panel, split in zip(panels, splits, strict=True):
            left = pd.Series(0, index=split.cells.index)
            for part, colour in PARTS.items():
                bars = panel.barh(cell_names(split), split.cells[part], left=left, color=colour, label=part)
                left += split.cells[part]
            panel.bar_label(bars, [f"train {count:,}" for count in split.cells["train"]], padding=4)
            panel.margins(x=0.15)
            panel.invert_yaxis()
            panel.set_title(f"alpha {split.config.alpha:g}", loc="left", fontsize=10)
            panel.spines[["top", "right"]].set_visible(False)
        panels[-1].set_xlabel("images")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper right", ncols=len(PARTS), frameon=False)
        content = io.BytesIO()
        figure.savefig(content, format="svg", metadata={"Date": None})
    return content.getvalue()
