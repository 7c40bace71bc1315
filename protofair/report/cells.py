"""A cell of a table: its runs summarised, beside the paper's number, with everything it opens."""

from collections.abc import Iterable
from typing import Any

from protofair.plan.explain import stages_of
from protofair.plan.plan import Entry, Plan
from protofair.report.collect import Run, read_interval
from protofair.report.metrics import METRICS, highest
from protofair.report.model import GLYPHS, Cell, Details, Group, Interval, Metric, SeedRun, Summary, Tone, Value
from protofair.report.results import CellRuns, Results, base_row
from protofair.report.settings import flat, resolved
from protofair.report.summary import summarise

TRAININGS = ("warmup", "fair", "baseline")
SHOWN_SETTINGS = ("prepare", "warmup", "fair", "baseline", "probe")


def build_cell(results: Results, table: str, row: str, column: str, *, control: bool = False) -> Cell:
    """The cell, or its control; without runs, only what the paper prints."""
    metrics = [results.metric(table, name) for name in results.metric_names(table)]
    reference = results.reference.tables.get(table)
    quoted = bool(reference and not control and row in reference.rows and reference.rows[row].quoted)
    cell = results.cell(table, row, column, control=control)
    values = tuple(_value(results, table, row, column, metric, cell, control=control) for metric in metrics)
    if cell is None:
        return Cell(row, column, "not planned", values, quoted=quoted)
    majority = cell.summary("majority_rate")
    return Cell(
        row,
        column,
        cell.state,
        values,
        target=cell.target,
        sensitive=cell.sensitive,
        quoted=quoted,
        balanced_accuracy=cell.summary("balanced_accuracy"),
        majority_rate=majority.mean if majority else None,
        at_majority=any(run.content["at_majority_rate"] for run in cell.done.values()),
        one_class=any(run.content["predicts_one_class"] for run in cell.done.values()),
        own=any(run.own for run in cell.done.values()),
        note=_note(cell),
        details=_details(results, cell),
    )


def _value(
    results: Results, table: str, row: str, column: str, metric: Metric, cell: CellRuns | None, *, control: bool
) -> Value:
    paper = None if control else results.paper(table, row, column, metric.name)
    ours = cell.summary(metric.name) if cell else None
    glyph, tone = _beside(ours, paper, metric)
    base = base_row(row)
    return Value(
        metric.name,
        ours,
        paper,
        difference=ours.mean - paper if ours and paper is not None else None,
        glyph=glyph,
        tone=tone,
        against_control=None
        if control
        else results.difference(cell, results.cell(table, row, column, control=True), metric.name),
        against_base=results.difference(cell, results.cell(table, base, column), metric.name) if base else None,
    )


def _beside(ours: Summary | None, paper: float | None, metric: Metric) -> tuple[str, Tone | None]:
    """Where our number lies against the paper's, and whether that is better."""
    if ours is None or paper is None:
        return "", None
    if ours.low <= paper <= ours.high:
        return GLYPHS["level"], "level"
    above = ours.mean > paper
    return GLYPHS["above" if above else "below"], "better" if above == (metric.better == "higher") else "worse"


def _note(cell: CellRuns) -> str:
    """What is missing, and what to do about it."""
    waiting = [run for run in cell.runs.values() if run.state == "pending"]
    notes = [run.problem for run in cell.runs.values() if run.state == "broken"]
    if waiting:
        notes.append(f"run it: {' '.join(['dvc repro', *(f'probe@{run.probe}' for run in waiting)])}")
    return " ".join(notes)


def _details(results: Results, cell: CellRuns) -> Details:
    plan = results.plan
    done = list(cell.done.values())
    names = dict.fromkeys(name for run in done for name in run.metrics() if name in METRICS)
    metrics = {name: cell.summary(name) for name in names}
    first = next(iter(cell.runs.values()))
    settings = {
        stage: flat(resolved(plan, stage, key))
        for stage, key in _stage_keys(plan, first.probe)
        if stage in SHOWN_SETTINGS
    }
    checkpoint = plan.probe[first.probe]["checkpoint"]
    if checkpoint["stage"] == "select":
        weights = ", ".join(f"{candidate['weight']:g}" for candidate in plan.select[checkpoint["key"]]["candidates"])
        found = [(seed, results.collected.weight(run.probe)) for seed, run in cell.done.items()]
        chosen = ", ".join(f"{weight:g} with seed {seed}" for seed, weight in found)
        settings["warmup"]["adversary.weight"] = f"chosen on validation from {weights}: {chosen or 'not yet'}"
    return Details(
        counts=done[0].content["counts"] if done else {},
        groups=tuple(_group(name, done) for name in done[0].content["groups"]) if done else (),
        metrics={name: summary for name, summary in metrics.items() if summary is not None},
        runs=tuple(_seed_run(plan, seed, run) for seed, run in cell.runs.items()),
        settings=settings,
    )


def _group(name: str, runs: list[Run]) -> Group:
    contents = [run.content["groups"][name] for run in runs]
    return Group(
        name,
        contents[0]["count"],
        accuracy=_summary(contents, "accuracy", "accuracy"),
        auroc=_summary(contents, "auroc", "auroc"),
        tpr=_rates(contents, "tpr"),
        fpr=_rates(contents, "fpr"),
    )


def _rates(contents: list[Entry], name: str) -> dict[str, Summary]:
    found = {target: _summary(contents, f"{name}.{target}", "accuracy") for target in contents[0][name]}
    return {target: summary for target, summary in found.items() if summary is not None}


def _summary(contents: Iterable[Any], name: str, like: str) -> Summary | None:
    found = [read_interval(content, name) for content in contents]
    known: list[Interval] = [interval for interval in found if interval is not None]
    return summarise(known, highest=highest(like))


def _seed_run(plan: Plan, seed: str, run: Run) -> SeedRun:
    stages = tuple(stages_of(plan, "probe", run.probe))
    trainings = tuple(name for name in stages if name.split("@")[0] in TRAININGS)
    return SeedRun(seed, run.probe, run.state, run.problem, run.command, stages, trainings, run.metrics())


def _stage_keys(plan: Plan, probe: str) -> list[list[str]]:
    return [name.split("@", 1) for name in stages_of(plan, "probe", probe)]
