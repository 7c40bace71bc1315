"""Refuse an impossible suite before anything runs: every problem at once, each with its line."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pydantic

from protofair.baselines.config import Baseline
from protofair.core.errors import UserError
from protofair.core.strict import Strict, causes, did_you_mean, problems, read_yaml
from protofair.data.acquire.config import Acquire
from protofair.data.attributes import ATTRIBUTES
from protofair.data.prepare.config import Prepare
from protofair.plan.lines import Lines
from protofair.plan.narrow import with_full
from protofair.plan.plan import Plan
from protofair.plan.resolve import OBJECTIVES, is_method, resolve
from protofair.plan.suite import Column, Options, Row, Suite
from protofair.probe.config import ProbeConfig, SelectConfig, TsneConfig
from protofair.train.config import Fair, Warmup

Location = tuple[str | int, ...]
Problem = tuple[Location, str]
MODELS: dict[str, type[Strict]] = {
    "acquire": Acquire,
    "prepare": Prepare,
    "warmup": Warmup,
    "fair": Fair,
    "baseline": Baseline,
    "select": SelectConfig,
    "probe": ProbeConfig,
    "tsne": TsneConfig,
}


def read_suite(path: Path) -> Suite:
    """The suite in a file whose every name and value makes sense, its rows for `--full` included."""
    content = read_yaml(path)
    lines = Lines(path)
    suite, found = _validated(content)
    if suite is not None:
        if suite.suite != path.stem and "suite" in content:
            found.append((("suite",), f"'suite': the file is called {path.name}, so this has to be '{path.stem}'."))
        unknown = list(_unknown_names(suite))
        found += unknown
    refused = [f"{path}:{lines.of(where)}: {text}" for where, text in found]
    if suite is not None and not unknown:
        refused += _refused_entries(resolve(with_full(suite)), path, lines)
    if refused:
        raise UserError("\n".join(dict.fromkeys(refused)))
    assert suite is not None
    return suite


def _validated(content: Any) -> tuple[Suite | None, list[Problem]]:
    """The suite and its problems; with problems, the suite without them, so that they do not hide others."""
    try:
        return Suite.model_validate(content), []
    except pydantic.ValidationError as error:
        found, rest = list(problems(Suite, error)), copy.deepcopy(content)
    for where, _ in found:
        _remove(rest, where)
    try:
        return Suite.model_validate(rest), found
    except pydantic.ValidationError:
        return None, found


def _remove(content: Any, where: Location) -> None:
    """Take out the last key on the way to `where` that is there."""
    holder: dict[Any, Any] | None = None
    last: str | int = ""
    for part in where:
        if isinstance(content, dict) and part in content:
            holder, last = content, part
        elif not (isinstance(content, list) and isinstance(part, int) and part < len(content)):
            break
        content = content[part]
    if holder is not None:
        del holder[last]


def _refused_entries(plan: Plan, path: Path, lines: Lines) -> Iterator[str]:
    """What the stages will not accept of the plan."""
    for fair in plan.fair.values():
        epochs, start = plan.warmup[fair["warmup"]]["epochs"], fair["from_epoch"]
        if start > epochs:
            for place in _places(path, lines, "from_epoch", start):
                yield f"{place}: 'from_epoch': {start} is above the {epochs} epochs of the warm-up."
    for stage, model in MODELS.items():
        for key, entry in getattr(plan, stage).items():
            try:
                model.model_validate(entry)
            except pydantic.ValidationError as error:
                for problem, (where, text) in zip(causes(error), problems(model, error), strict=True):
                    if where and where[0] == "keep":
                        continue  # follows from an epoch that is refused above
                    option = str(where[-1]) if where else ""
                    for place in _places(path, lines, option, problem["input"]) or [f"{path}: {stage} {key}"]:
                        yield f"{place}: {text}"


def _places(path: Path, lines: Lines, option: str, value: Any) -> list[str]:
    """Where in the suite an option has a value that a stage refuses."""
    return [f"{path}:{line}" for line in lines.saying(option, value)]


def _unknown_names(suite: Suite) -> Iterator[Problem]:
    for name, special in suite.objectives.items():
        yield from _unknown(("objectives", name), "objective", name, OBJECTIVES)
        yield from _given_away(("objectives", name, "options"), special.options)
    for place, part in _parts(suite):
        for name, column in part.columns.items():
            yield from _check_column((*place, "columns", name), column, part.data, suite)
        rows = [((*place, "row"), part.row)] if hasattr(part, "row") else _numbered((*place, "rows"), part.rows)
        for where, row in rows:
            yield from _check_row(where, row, part.columns)
    for name, further in suite.full.items():
        yield from _unknown(("full", name), "table", name, suite.tables)
        for where, row in _numbered(("full", name), further if name in suite.tables else []):
            yield from _check_row(where, row, suite.tables[name].columns)


def _check_row(where: Location, row: Row, columns: Any) -> Iterator[Problem]:
    yield from _unknown((*where, "objective"), "objective", row.objective, OBJECTIVES)
    for key in ("fair", "adversary"):
        if getattr(row, key) is not None and row.objective in OBJECTIVES and is_method(row.objective):
            yield (*where, key), f"'{key}': goes with a base objective; '{row.objective}' trains in its own way."
    yield from _given_away((*where, "options"), row.options)
    weights = (row.adversary or {}).get("weight")
    if isinstance(weights, list) and (len(set(weights)) != 3 or len(weights) != 3):
        yield (*where, "adversary", "weight"), f"'weight': one, or three to choose from (got {weights})."
    if isinstance(weights, list) and row.fair is not None:
        same = "a fair phase, its control and what they are compared with continue the same training"
        yield (*where, "adversary", "weight"), f"'weight': one only beside 'fair': {same}."
    for key in ("columns", "only"):
        for name in getattr(row, key):
            yield from _unknown((*where, key, name), "column", name, columns)


def _given_away(where: Location, options: Options) -> Iterator[Problem]:
    """What an objective has from its row and column."""
    for name in ("name", "target", "sensitive"):
        if name in options:
            yield (*where, name), f"'{name}': is the row's objective or the column's attribute, and no option."


def _parts(suite: Suite) -> Iterator[tuple[Location, Any]]:
    """Everything that has rows and columns, with its place in the file."""
    for name, table in suite.tables.items():
        yield ("tables", name), table
    for name in ("tsne", "ablation"):
        if getattr(suite, name) is not None:
            yield (name,), getattr(suite, name)


def _check_column(where: Location, column: Column, data: str | None, suite: Suite) -> Iterator[Problem]:
    name = column.data or data
    if name is None:
        yield where, "no data set: give the column or its table a 'data'."
    elif name not in suite.data:
        yield where, f"unknown data set '{name}'. {did_you_mean(name, suite.data)}"
    else:
        known = ATTRIBUTES[suite.data[name].dataset]
        yield from _unknown((*where, "target"), "attribute", column.target, known)
        yield from _unknown((*where, "sensitive"), "attribute", column.sensitive, known)
        if column.target == column.sensitive:
            yield (*where, "sensitive"), f"'sensitive': '{column.sensitive}' is the target too."


def _unknown(where: Location, what: str, name: str, known: Any) -> Iterator[Problem]:
    if name not in known:
        yield where, f"unknown {what} '{name}'. {did_you_mean(name, known)}"


def _numbered(place: Location, rows: list[Row]) -> list[tuple[Location, Row]]:
    return [((*place, number), row) for number, row in enumerate(rows)]
