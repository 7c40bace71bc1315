"""How training went: losses and clusters over epochs, the mean over seeds of every run."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from protofair.plan.plan import Entry, Plan
from protofair.report.figures.picture import COLOURS, Picture, canvas, finish, grid, legend
from protofair.report.model import ReportModel

# stage, column of the log -> title
PANELS = {
    ("warmup", "base"): "warm-up: base loss",
    ("fair", "base"): "fair phase: base loss",
    ("fair", "fair"): "fair phase: ProtoFair term",
    ("fair", "clusters.pair_purity"): "fair phase: share of pairs\nwith the same target",
    ("baseline", "loss"): "other methods: loss",
    ("fair", "clusters.sensitive_purity"): "fair phase: share of a cluster’s\nlargest sensitive group",
}
RUN = ["stage", "run", "objective", "control"]
WIDE = 20.0  # a panel whose largest value is so many times its smallest gets a logarithmic axis


def draw_training(model: ReportModel, plan: Plan) -> Picture | None:
    """None as long as no training has a log."""
    data = _means(model, plan) if model.curves else pd.DataFrame()
    if data.empty:
        return None
    found = dict(list(data.groupby(["stage", "measured"], sort=False)))
    panels = {where: found[where] for where in PANELS if where in found}
    objectives = list(dict.fromkeys(data["objective"]))
    with canvas(9.4, 2.5 * (-(-len(panels) // 3)) + 0.4) as figure:
        axes = grid(figure, len(panels), across=3)
        for axis, (where, lines) in zip(axes, panels.items(), strict=True):
            _panel(axis, lines, objectives)
            axis.set_title(PANELS[where])
            axis.set_xlabel("epoch of the phase")
            axis.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
        legend(figure, axes)
    return finish(
        figure,
        name="training",
        title="Training curves",
        caption="Every line is a run, averaged over its seeds. Dashed: equal-training controls, whose term is measured"
        " but not added. The curves of a single run stand in the details of its cell.",
        alternative="Line charts of losses and of what clusters consist of, over epochs, by base objective.",
        data=pd.concat(panels.values()),
    )


def describe(plan: Plan, stage: str, key: str) -> tuple[Entry, Entry]:
    """The entry of a training, and the warm-up it is or continues."""
    entry = getattr(plan, stage)[key]
    return entry, plan.warmup[entry["warmup"]] if stage == "fair" else entry


def _means(model: ReportModel, plan: Plan) -> pd.DataFrame:
    """Each number of each epoch over the seeds of a run."""
    measured = list(dict.fromkeys(column for _, column in PANELS))
    frames = []
    for curve in model.curves.values():
        entry, warmup = describe(plan, curve.stage, curve.key)
        frame = curve.frame.reindex(columns=["epoch", *measured])
        frame["epoch"] -= frame["epoch"].min() - 1
        frame["stage"] = curve.stage
        frame["run"] = curve.key.replace(f"-s{entry['seed']}", "", 1)
        frame["objective"] = (warmup.get("objective") or warmup["method"])["name"]
        frame["control"] = curve.stage == "fair" and entry["weight"] == 0
        frames.append(frame)
    long = pd.concat(frames).melt(id_vars=["epoch", *RUN], value_vars=measured, var_name="measured")
    by_run = long.dropna(subset=["value"]).groupby([*RUN, "measured", "epoch"], sort=False)["value"]
    return by_run.agg(["mean", "min", "max", "count"]).reset_index()


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
        axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.yaxis.set_major_formatter("{x:g}")  # powers of ten would be written in TeX, and names here are plain text
        axis.yaxis.set_minor_formatter(NullFormatter())
