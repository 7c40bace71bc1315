"""Two rows of a table compared in a column: the lines below a claim."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from protofair.report.claims.rules import higher, lower, within
from protofair.report.metrics import change, number, signed
from protofair.report.model import Difference, Evidence, Metric, Verdict
from protofair.report.results import CellRuns, Results

Rule = Callable[[Difference], Verdict]


@dataclass(frozen=True)
class Check:
    """What the difference between two rows has to be in a metric."""

    metric: str
    rule: Rule
    improves: bool = True  # the claim is that the metric improves: its control is then asked too


@dataclass(frozen=True)
class Rows:
    """Two rows of a table: `new` is compared with `base`."""

    table: str
    base: str
    new: str


FALLS = lower
RISES = higher
NEARLY_SAME = within
EO_FALLS = Check("equalized_odds", FALLS)


def accuracy_loss_below(points: float) -> Check:
    return Check("accuracy", partial(higher, than=-points), improves=False)


def printed_change(results: Results, rows: Rows, column: str, metric: str) -> str:
    """`from 16.9 to 6.9`, as the paper prints it."""
    found = [results.paper(rows.table, row, column, metric) for row in (rows.base, rows.new)]
    before, after = ("?" if value is None else number(value, results.metric(rows.table, metric)) for value in found)
    return f"from {before} to {after}"


def in_columns(results: Results, rows: Rows, columns: Sequence[str], checks: Sequence[Check]) -> list[Evidence]:
    """The lines of a claim about several columns. Where a smaller suite leaves some columns out, the others decide."""
    lines = [line for column in columns for line in _in_column(results, rows, column, checks)]
    planned = [c for c in columns if results.cell(rows.table, rows.base, c) and results.cell(rows.table, rows.new, c)]
    if left_out := [column for column in columns if column not in planned]:
        text = f"this suite does not compare {rows.new} with {rows.base} for {', '.join(left_out)}"
        lines.append(Evidence("missing", text, "not run" if results.full or not planned else None))
    return lines


def _in_column(results: Results, rows: Rows, column: str, checks: Sequence[Check]) -> Iterator[Evidence]:
    """What came out in a column, whether its size is the paper's, and what its control has to say."""
    base, new = (results.cell(rows.table, row, column) for row in (rows.base, rows.new))
    if base and new:
        yield from missing(column, base, new)
    for check in checks:
        metric = results.metric(rows.table, check.metric)
        if base and new:
            yield ours_line(results, f"{column}: ", base, new, metric, check.rule)
        yield from _paper_line(results, rows, column, metric, results.difference(new, base, check.metric))
        if base and new and check.improves:
            yield from _control_line(results, rows, column, new, metric)
            yield from caution(f"{column}: ", new, metric)


def missing(label: str, *cells: CellRuns) -> Iterator[Evidence]:
    """A line for each cell that is not done, with what to do."""
    for cell in cells:
        if cell.state != "done":
            run = next(run for run in cell.runs.values() if run.state != "done")
            todo = run.problem or f"run it: {run.command}"
            yield Evidence("missing", f"{label}: {cell.row} is {cell.state}; {todo}", "not run")


def ours_line(results: Results, label: str, base: CellRuns, new: CellRuns, metric: Metric, rule: Rule) -> Evidence:
    """`T:b, S:m: EO 20.7 → 15.8, −4.9 [−6.1, −3.8], 3 seeds`, and the rule's verdict."""
    difference = results.difference(new, base, metric.name)
    before, after = base.summary(metric.name), new.summary(metric.name)
    if difference is None or before is None or after is None:
        return Evidence("missing", f"{label}{metric.label} cannot be compared yet.", "not run")
    seeds = "1 seed, its spread unknown" if difference.seeds == 1 else f"{difference.seeds} seeds"
    values = f"{number(before.mean, metric)} → {number(after.mean, metric)}"
    text = f"{label}{metric.label} {values}, {change(difference, metric)}, {seeds}"
    return Evidence("ours", text, rule(difference), difference)


def caution(label: str, new: CellRuns, metric: Metric) -> Iterator[Evidence]:
    """That EO can be low for want of a classifier: one that always answers the same has an EO of 0."""
    flagged = [run for run in new.done.values() if run.content["at_majority_rate"] or run.content["predicts_one_class"]]
    rate = new.summary("majority_rate")
    if metric.name == "equalized_odds" and flagged and rate:
        text = f"{label}{new.row} is not above the rate of the majority class, {number(rate.mean, metric)}"
        yield Evidence(
            "caution", f"{text}, in {len(flagged)} of {len(new.done)} runs: one answer for all has an EO of 0"
        )


def _paper_line(
    results: Results, rows: Rows, column: str, metric: Metric, ours: Difference | None
) -> Iterator[Evidence]:
    """The paper's effect, and at full scale whether ours is of that size."""
    before, after = (results.paper(rows.table, row, column, metric.name) for row in (rows.base, rows.new))
    if before is None or after is None:
        return
    printed = after - before
    text = f"{column}: the paper prints {metric.label} {number(before, metric)} → {number(after, metric)}"
    text += f", {signed(printed, metric)}"
    if ours is None or not results.full:
        yield Evidence("paper", text)
        return
    matches = ours.low <= printed <= ours.high
    yield Evidence("paper", f"{text}: {_size(ours, printed)}", "supported" if matches else "not supported")


def _size(ours: Difference, printed: float) -> str:
    if ours.low <= printed <= ours.high:
        return "our interval covers it"
    if ours.value * printed < 0:
        return "ours goes the other way"
    return "ours is larger" if abs(ours.value) > abs(printed) else "ours is smaller"


def _control_line(results: Results, rows: Rows, column: str, new: CellRuns, metric: Metric) -> Iterator[Evidence]:
    """The run against the same extra training with weight 0."""
    control = results.cell(rows.table, rows.new, column, control=True)
    if control is None:
        yield Evidence("control", f"{column}: no equal-training control in this suite", "not run")
        return
    difference = results.difference(new, control, metric.name)
    if difference is None or control.state != "done":
        yield Evidence("control", f"{column}: the equal-training control has not run", "not run")
        return
    rule = FALLS if metric.better == "lower" else RISES
    text = f"{column}: {metric.label} against the equal-training control (λ = 0), {change(difference, metric)}"
    yield Evidence("control", text, rule(difference), difference)
