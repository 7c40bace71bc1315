"""The cells of a suite with their runs, and how they compare: what tables and claims are made of."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from protofair.plan.plan import Entry, Plan
from protofair.report.collect import Collected, Run
from protofair.report.difference import Sampled, over_seeds, pairwise
from protofair.report.metrics import METRICS, highest
from protofair.report.model import Difference, Metric, State, Summary
from protofair.report.reference import Reference
from protofair.report.resample import FAMILY, resampled
from protofair.report.summary import summarise
from protofair.report.tsne import read_panels

# Metrics are written with six digits, scores with seven.
AGREE = 1e-3
CellKey = tuple[tuple[str, ...], str, str]  # probes, target, sensitive


@dataclass(frozen=True)
class CellRuns:
    """A cell of the plan with the run of each seed."""

    row: str
    column: str
    target: str
    sensitive: str
    runs: Mapping[str, Run]

    @property
    def key(self) -> CellKey:
        """Equal for cells with the same numbers, which several tables may show."""
        return tuple(run.probe for run in self.runs.values()), self.target, self.sensitive

    @property
    def done(self) -> dict[str, Run]:
        return {seed: run for seed, run in self.runs.items() if run.state == "done"}

    @property
    def state(self) -> State:
        states = {run.state for run in self.runs.values()}
        if "broken" in states:
            return "broken"
        return "partial" if len(states) > 1 else states.pop()

    def summary(self, metric: str) -> Summary | None:
        """A metric over the seeds that are done."""
        found = [run.metric(metric) for run in self.done.values()]
        return summarise([value for value in found if value is not None], highest=highest(metric))


def base_row(row: str) -> str | None:
    """The row a ProtoFair row builds on."""
    base, term, _ = row.partition(" + ProtoFair")
    return base if term else None


class Results:
    """Everything the plan's cells have come to, beside the paper's numbers."""

    def __init__(self, plan: Plan, reference: Reference, root: Path) -> None:
        self.plan = plan
        self.reference = reference
        self.collected = Collected(plan, root)
        self.tables = {
            name: {role: self._cells(entries, role) for role in ("runs", "controls")}
            for name, entries in plan.report["tables"].items()
        }
        self.ablation = {
            (entry["vary"], float(entry["value"]), entry["column"]): self._cell(entry, "runs")
            for entry in plan.report["ablation"]
        }
        # cell -> metric -> seed
        self._sampled: dict[CellKey, dict[str, dict[str, Sampled]]] = defaultdict(dict)
        self.panels, problems = read_panels(plan, root)
        self.collected.problems |= dict.fromkeys(problems)

    @property
    def full(self) -> bool:
        """Whether the suite is the paper's experiment, not a smaller one."""
        return bool(self.plan.report["scale"] == "full")

    def cell(self, table: str, row: str, column: str, *, control: bool = False) -> CellRuns | None:
        """A cell of a table, or its equal-training control; None if the suite has none."""
        cells = self.tables.get(table, {}).get("controls" if control else "runs", {})
        return cells.get((row, column))

    def paper(self, table: str, row: str, column: str, metric: str) -> float | None:
        """What the paper prints there."""
        found = self.reference.tables.get(table)
        return found.value(row, column, metric) if found else None

    def paper_columns(self, table: str) -> tuple[str, ...]:
        return self.reference.tables[table].columns

    def varied(self, option: str) -> list[float]:
        """The values of an option in the ablation."""
        return sorted({value for vary, value, _ in self.ablation if vary == option})

    @property
    def ablated_columns(self) -> list[str]:
        return list(dict.fromkeys(column for _, _, column in self.ablation))

    def metric_names(self, table: str) -> tuple[str, ...]:
        """What a table shows of each column: what the paper's does, accuracy and EO where it has no such table."""
        found = self.reference.tables.get(table)
        return found.metrics if found else ("accuracy", "equalized_odds")

    def metric(self, table: str, name: str) -> Metric:
        """A metric with as many digits as the paper's table gives it."""
        found = self.reference.tables.get(table)
        return replace(METRICS[name], digits=found.digits(name)) if found and name in found.metrics else METRICS[name]

    def difference(self, a: CellRuns | None, b: CellRuns | None, metric: str) -> Difference | None:
        """a minus b on the same test images, over the seeds both have; None if one has no runs or no such metric."""
        if a is None or b is None or metric not in FAMILY:
            return None
        return over_seeds(pairwise(self.sampled(a, metric), self.sampled(b, metric)))

    def sampled(self, cell: CellRuns, metric: str) -> dict[str, Sampled]:
        """A metric of each seed that is done, on the resamples of the test set."""
        if metric not in self._sampled[cell.key]:
            together = [other for other in self._compared(metric) if self._images(other) == self._images(cell)]
            self._sample([cell, *together], metric)
        return self._sampled[cell.key][metric]

    def _sample(self, cells: list[CellRuns], metric: str) -> None:
        """Resample cells on the same images together: what takes time is to go through the weights, which are many."""
        new = {cell.key: cell for cell in cells if metric not in self._sampled[cell.key]}
        read = [
            (cell, seed, self.collected.answers(run.probe, run.target, run.sensitive))
            for cell in new.values()
            for seed, run in cell.done.items()
        ]
        answered = [(cell, seed, answers) for cell, seed, answers in read if answers is not None]
        found = resampled(metric, [answers for _, _, answers in answered]) if answered else []
        for name in FAMILY[metric]:
            for key in new:
                self._sampled[key][name] = {}
            for (cell, seed, _), metrics in zip(answered, found, strict=True):
                if self._agrees(cell.runs[seed], name, metrics[name]):
                    self._sampled[cell.key][name][seed] = metrics[name]

    def _compared(self, metric: str) -> Iterator[CellRuns]:
        """The cells that are compared in a metric or its family: with a base, with a control, and in the ablation."""
        for table, cells in self.tables.items():
            if not set(FAMILY[metric]).isdisjoint(self.metric_names(table)):
                yield from cells["controls"].values()
                for (row, column), cell in cells["runs"].items():
                    base = base_row(row)
                    if base and (base, column) in cells["runs"]:
                        yield from (cell, cells["runs"][base, column])
        if "equalized_odds" in FAMILY[metric]:
            yield from self.ablation.values()

    def _images(self, cell: CellRuns) -> tuple[str, str, str]:
        """What its test images and their labels depend on."""
        probe = next(iter(cell.runs.values())).probe
        return self.plan.probe[probe]["data"], cell.target, cell.sensitive

    def _agrees(self, run: Run, metric: str, sampled: Sampled) -> bool:
        """Whether the metric of the predictions is the metric that was written; else it is a problem."""
        written = run.metric(metric)
        if written is None or math.isclose(written.value, sampled.value, abs_tol=AGREE):
            return True
        self.collected.broken(
            run.path, f"says {metric} {written.value:g}, but its predictions say {sampled.value:g}", run.probe
        )
        return False

    def _cells(self, entries: list[Entry], role: str) -> dict[tuple[str, str], CellRuns]:
        return {(entry["row"], entry["column"]): self._cell(entry, role) for entry in entries if role in entry}

    def _cell(self, entry: Entry, role: str) -> CellRuns:
        target, sensitive = entry["target"], entry["sensitive"]
        runs = {seed: self.collected.run(probe, target, sensitive) for seed, probe in entry[role].items()}
        return CellRuns(entry["row"], entry["column"], target, sensitive, runs)
