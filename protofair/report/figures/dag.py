"""The pipeline as it is planned: a box for each kind of stage, an arrow where one reads what another wrote."""

from collections import Counter
from collections.abc import Iterator

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from protofair.plan.plan import STAGES, Plan
from protofair.report.figures.picture import COLOURS, GREY, Picture, canvas, finish
from protofair.report.model import ReportModel

ORDER = (*STAGES, "report")
WIDTH, HEIGHT = 0.74, 0.5


def draw_dag(model: ReportModel, plan: Plan) -> Picture:
    edges = Counter(_edges(plan))
    planned = {stage: len(getattr(plan, stage)) for stage in STAGES} | {"report": 1}
    done = {cost.stage: cost.done for cost in model.provenance.stages}
    prepared = [card.key for card in model.provenance.data if card.state == "done"]
    done["prepare"] = len(prepared)
    done["acquire"] = len({plan.prepare[key]["acquire"] for key in prepared})
    with canvas(9.4, 2.3) as figure:
        axis = figure.subplots()
        axis.set(xlim=(-0.5, len(ORDER) - 0.5), ylim=(-1.2, 1.1))
        axis.set_axis_off()
        for start, end in edges:
            _arrow(axis, ORDER.index(start), ORDER.index(end))
        for place, stage in enumerate(ORDER):
            count = f"{done[stage]} of {planned[stage]} done" if stage in done else f"{planned[stage]} planned"
            _box(axis, place, stage, "this page" if stage == "report" else count)
    return finish(
        figure,
        name="dag",
        title="The pipeline of this suite",
        caption="A box for each kind of stage, an arrow where one reads what another wrote; the data has how often.",
        alternative="A graph of the stages acquire, prepare, warmup, fair, baseline, select, probe, tsne and report.",
        data=pd.DataFrame([[*ends, count] for ends, count in edges.items()], columns=["from", "to", "edges"]),
    )


def _edges(plan: Plan) -> Iterator[tuple[str, str]]:
    """Which kind of stage reads which, once for each pair of stages that do."""
    for stage in STAGES:
        for entry in getattr(plan, stage).values():
            if "acquire" in entry:
                yield "acquire", stage
            if "data" in entry:
                yield "prepare", stage
            if "warmup" in entry or "teacher" in entry:
                yield "warmup", stage
            if "checkpoint" in entry:
                yield entry["checkpoint"]["stage"], stage
            for candidate in entry.get("candidates", []):
                yield "probe", stage
                yield candidate["checkpoint"]["stage"], stage
            if stage not in ("acquire", "select"):
                yield stage, "report"


def _box(axis: Axes, x: float, stage: str, state: str) -> None:
    corner = (x - WIDTH / 2, -HEIGHT / 2)
    axis.add_patch(FancyBboxPatch(corner, WIDTH, HEIGHT, boxstyle="round,pad=0.04", fc="none", ec=COLOURS[0], lw=1.4))
    axis.text(x, 0.1, stage, ha="center", va="center", fontweight="bold")
    axis.text(x, -0.13, state, ha="center", va="center", fontsize=8)


def _arrow(axis: Axes, start: int, end: int) -> None:
    """Straight to the next box; over the boxes between, or, to the report, under them."""
    options = {"arrowstyle": "-|>", "lw": 1.0, "color": GREY}
    if end == start + 1:
        edge = WIDTH / 2 + 0.05
        axis.annotate("", (end - edge, 0), (start + edge, 0), arrowprops=options)
        return
    side = -1 if ORDER[end] == "report" else 1
    turn = side if end > start else -side  # an arrow back bends the other way to pass on the same side
    bend = f"arc3,rad={-turn * 0.5 / abs(end - start) ** 0.6:.3f}"
    edge = side * (HEIGHT / 2 + 0.06)
    axis.annotate("", (end - 0.1, edge), (start + 0.1, edge), arrowprops=options | {"connectionstyle": bend})
