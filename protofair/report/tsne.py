"""The pictures of the t-SNE figure, from results/<suite>/tsne/."""

from pathlib import Path

import pandas as pd

from protofair.plan.plan import Entry, Plan
from protofair.report.collect import read_interval
from protofair.report.files import UNREADABLE, read_json, why
from protofair.report.model import TsnePanel

SPACES = ("plane", "features")


def read_panels(plan: Plan, root: Path) -> tuple[tuple[TsnePanel, ...], list[str]]:
    """The panels in the order of the plan, and what is wrong with their files."""
    panels = tuple(_read(plan, root, cell) for cell in plan.report["tsne"])
    return panels, [panel.note for panel in panels if panel.state == "broken"]


def _read(plan: Plan, root: Path, cell: Entry) -> TsnePanel:
    names = (cell["row"], cell["column"], cell["target"], cell["sensitive"])
    command = f"dvc repro tsne@{cell['tsne']}"
    folder = Path("results", plan.suite, "tsne", cell["tsne"])
    if not (root / folder / "tsne.json").exists():
        return TsnePanel(*names, "pending", f"run it: {command}", None, {})
    path = folder / "tsne.json"
    try:
        content = read_json(root / path)
        mixing = {space: read_interval(content["mixing"], space) for space in SPACES}
        path = folder / "points.csv"
        points = pd.read_csv(root / path)
        if missing := {"x", "y", "target", "sensitive"} - {*points.columns}:
            raise ValueError(f"no column {min(missing)}")
    except UNREADABLE as error:
        return TsnePanel(*names, "broken", f"{path}: not complete ({why(error)}). Run it again: {command}", None, {})
    known = {space: value for space, value in mixing.items() if value is not None}
    return TsnePanel(*names, "done", "", points, known)
