"""What has come out so far: the metrics and predictions of every probe, or why they are not there."""

import hashlib
import zipfile
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protofair.plan.explain import stages_of
from protofair.plan.plan import Entry, Plan
from protofair.report.files import UNREADABLE, read_json, why
from protofair.report.measured import check_measured
from protofair.report.model import Interval, State
from protofair.report.settings import flat, resolved

Bytes = NDArray[np.uint8]
# Settings that gather what others ask for, and change no number.
FREE = ("probe.tasks", "warmup.keep")
MADE_WITH = ("warmup", "fair", "baseline", "probe")


@dataclass(frozen=True)
class Run:
    """One probe on one task: its metrics, or that it is pending, or what is wrong with its file."""

    probe: str
    target: str
    sensitive: str
    state: State
    path: Path
    # Of the test split, as `protofair probe` writes it. Of a method with its own classifier that one's metrics, and the
    # linear probe's under `linear`.
    content: Entry = field(default_factory=dict)
    problem: str = ""

    @property
    def command(self) -> str:
        """That runs it, and what it needs."""
        return command(self.probe)

    @property
    def own(self) -> bool:
        """Whether the metrics are of the method's own classifier."""
        return "linear" in self.content

    def metric(self, name: str) -> Interval | None:
        """A metric by its dotted name, None where there is none."""
        return read_interval(self.content, name)

    def metrics(self) -> dict[str, Interval]:
        """Every metric of what predicts the target and of the sensitive probe, by dotted name."""
        parts = [f"{part}.{name}" for part in ("linear", "sensitive") for name in self.content.get(part, {})]
        names = [*self.content, *parts]
        found = {name: self.metric(name) for name in names}
        return {name: value for name, value in found.items() if value is not None}


@dataclass(frozen=True)
class Answers:
    """What a probe said about n test images, and the truth. Classes and groups are numbered from 0."""

    label: Bytes  # [n]
    prediction: Bytes  # [n]
    score: NDArray[np.float32]  # [n, 1] log-odds of class 1 where there are two classes, else [n, C]
    sensitive: Bytes  # [n]
    sensitive_prediction: Bytes  # [n]

    @cached_property
    def images(self) -> bytes:
        """Equal for equal test sets."""
        return hashlib.sha256(self.label.tobytes() + self.sensitive.tobytes()).digest()


class Collected:
    """The files of a suite's probes, each read once. What is wrong with one is remembered in `problems`."""

    def __init__(self, plan: Plan, root: Path) -> None:
        self.plan = plan
        self.root = root
        self.problems: dict[str, None] = {}
        self._images: dict[tuple[str, str, str], bytes] = {}
        self._metrics = cache(self._read_metrics)
        self.answers = cache(self._read_answers)

    def path(self, probe: str, name: str) -> Path:
        """A file of a probe, from the root of the project."""
        return Path("results", self.plan.suite, "probe", probe, name)

    def run(self, probe: str, target: str, sensitive: str) -> Run:
        """The outcome of a probe on a task, whatever state its file is in."""
        state, content = self._metrics(probe)
        path = self.path(probe, "metrics.json")
        if state == "done":
            try:
                task = next(t for t in content["tasks"] if (t["target"], t["sensitive"]) == (target, sensitive))
                check_measured(task["test"])
                return Run(probe, target, sensitive, state, path, _shown(task["test"]))
            except StopIteration:
                state, content = self.broken(path, f"has no task {target}/{sensitive}", probe)
            except UNREADABLE as error:
                state, content = self.broken(path, f"not a complete metrics file ({why(error)})", probe)
        return Run(probe, target, sensitive, state, path, problem=content.get("problem", ""))

    def weight(self, probe: str) -> float | None:
        """The adversary's weight of the training behind a probe; None while that is not done."""
        state, content = self._metrics(probe)
        return content["config"]["training"]["warmup"]["adversary"]["weight"] if state == "done" else None

    def _read_metrics(self, probe: str) -> tuple[State, Entry]:
        path = self.path(probe, "metrics.json")
        if not (self.root / path).exists():
            return "pending", {}
        try:
            content = read_json(self.root / path)
            made_with = flat({"probe": content["config"]["probe"], **content["config"]["training"]})
        except UNREADABLE as error:
            return self.broken(path, f"not a complete metrics file ({why(error)})", probe)
        asked = flat(self._asked(probe))
        chosen = self.plan.probe[probe]["checkpoint"]["stage"] == "select"
        free = (*FREE, "warmup.adversary.weight") if chosen else FREE
        if changed := [name for name, value in asked.items() if name not in free and made_with.get(name) != value]:
            return self.broken(path, f"made with other settings than the plan's ({', '.join(changed)})", probe)
        return "done", content

    def _asked(self, probe: str) -> Entry:
        """The settings the plan has for a probe and the training before it."""
        stages = [stage.split("@", 1) for stage in stages_of(self.plan, "probe", probe)]
        return {stage: resolved(self.plan, stage, key) for stage, key in stages if stage in MADE_WITH}

    def _read_answers(self, probe: str, target: str, sensitive: str) -> Answers | None:
        """The predictions behind a run's metrics; None, and a problem, if their file is not what it should be."""
        path = self.path(probe, "predictions.npz")
        own = "own/" if self.run(probe, target, sensitive).own else ""
        names = [f"{own}{target}/test/{part}" for part in ("label", "prediction", "score")]
        names += [f"{sensitive}/test/{part}" for part in ("label", "prediction")]
        try:
            with np.load(self.root / path) as arrays:
                answers = Answers(*(arrays[name] for name in names))
            if len({len(array) for array in vars(answers).values()}) != 1:
                raise ValueError("arrays of different lengths")
            test_set = (self.plan.probe[probe]["data"], target, sensitive)
            if self._images.setdefault(test_set, answers.images) != answers.images:
                raise ValueError("not about the test images that the other runs were measured on")
            return answers
        except (*UNREADABLE, EOFError, zipfile.BadZipFile) as error:
            self.broken(path, f"no readable predictions ({why(error)})", probe)
            return None

    def broken(self, path: Path, what: str, probe: str) -> tuple[State, Entry]:
        """Remember what is wrong with a file of a probe."""
        problem = f"{path}: {what}. Run it again: {command(probe)}"
        self.problems[problem] = None
        return "broken", {"problem": problem}


def _shown(test: Entry) -> Entry:
    """A task on the test split, with the method's own classifier before the linear probe where it has one."""
    if "own" not in test:
        return test
    linear = {name: part for name, part in test.items() if name in test["own"]}
    return {**test, **test["own"], "linear": linear}


def command(probe: str) -> str:
    return f"dvc repro probe@{probe}"


def read_interval(content: Any, name: str) -> Interval | None:
    """`{value, low, high}` at a dotted name of a JSON object; None where there is none or it is undefined."""
    for part in name.split("."):
        content = content.get(part) if isinstance(content, dict) else None
    if not isinstance(content, dict) or content.get("value") is None:
        return None
    return Interval(float(content["value"]), float(content["low"]), float(content["high"]))
