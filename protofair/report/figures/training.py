"""How training went: losses and clusters over epochs, the mean over seeds of every run."""

from collections.abc import Iterator

import pandas as pd
from matplotlib.axes import Axes

from protofair.plan.plan import Entry, Plan
from protofair.report.figures.picture import COLOURS, Picture, canvas, finish, grid, legend
from protofair.report.model import Curve, ReportModel

# stage, column of the log -> title
PANELS = {
    ("warmup", "base"): "warm-up: base loss",
    ("fair", "base"): "fair phase: base loss",
    ("fair", "fair"): "fair phase: ProtoFair term",
    ("fair", "clusters.pair_purity"): "fair phase: share of pairs\nwith the same target",
    ("fair", "clusters.sensitive_purity"): "fair phase: share of a cluster’s\nlargest sensitive group",
}
COLUMNS = ["stage", "run", "objective", "control", "measured", "epoch", "mean", "min", "max", "count"]
WIDE = 20.0  # a panel whose largest value is so many times its smallest gets a logarithmic axis


def draw_training(model: ReportModel, plan: Plan) -> Picture | None:
    """None as long as no training has a log."""
    lines = list(_means(model, plan))
    if not lines:
        return None
    data = pd.concat(lines)[COLUMNS]
    panels = dict(list(data.groupby(["stage", "measured"], sort=False)))
    objectives = list(dict.fromkeys(data["objective"]))
    with canvas(9.4, 2.5 * (-(-len(panels) // 3)) + 0.4) as figure:
        axes = grid(figure, len(panels), across=3)
        for axis, where in zip(axes, [where for where in PANELS if where in panels], strict=True):
            _panel(axis, panels[where], objectives)
            axis.set_title(PANELS[where])
            axis.set_xlabel("epoch of the phase")
        legend(figure, axes)
    return finish(
        figure,
        name="training",
        title="Training curves",
        caption="Every line is a run, averaged over its seeds. Dashed: equal-training controls, whose term is measured"
        " but not added. The curves of a single run stand in the details of its cell.",
        alternative="Line charts of losses and of what clusters consist of, over epochs, by base objective.",
        data=data,
    )


def describe(plan: Plan, stage: str, key: str) -> tuple[Entry, Entry]:
    """The entry of a training, and the warm-up it is or continues."""
    entry = getattr(plan, stage)[key]
    return entry, plan.warmup[entry["warmup"]] if stage == "fair" else entry


def _means(model: ReportModel, plan: Plan) -> Iterator[pd.DataFrame]:
    """Each number of each epoch over the seeds of a run."""
    runs: dict[tuple[str, str], list[Curve]] = {}
    for curve in model.curves.values():
        seed = getattr(plan, curve.stage)[curve.key].get("seed", 0)
        runs.setdefault((curve.stage, curve.key.replace(f"-s{seed}", "", 1)), []).append(curve)
    for (stage, run), curves in runs.items():
        entry, warmup = describe(plan, stage, curves[0].key)
        facts = {"stage": stage, "run": run, "objective": warmup["objective"]["name"]}
        facts["control"] = stage == "fair" and entry.get("weight") == 0
        frames = pd.concat([curve.frame for curve in curves])
        frames["epoch"] -= frames["epoch"].min() - 1
        for measured in (column for of_stage, column in PANELS if of_stage == stage and column in frames):
            over_seeds = (
                frames.dropna(subset=[measured]).groupby("epoch")[measured].agg(["mean", "min", "max", "count"])
            )
            yield over_seeds.reset_index().assign(measured=measured, **facts)


def _panel(axis: Axes, data: pd.DataFrame, objectives: list[str]) -> None:
    for (_, objective, control), line in data.groupby(["run", "objective", "control"], sort=False):
        axis.plot(
            line["epoch"],
            line["mean"],
            color=COLOURS[objectives.index(str(objective)) % len(COLOURS)],
            linestyle="--" if control else "-",
            linewidth=0.9,
            alpha=0.7,
            label=f"{objective}, control" if control else str(objective),
        )
    if data["mean"].min() > 0 and data["mean"].max() / data["mean"].min() > WIDE:
        axis.set_yscale("log")
