"""Refuse an impossible suite before anything runs: every problem at once, each with its line."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pydantic

from protofair.baselines.config import Baseline
from protofair.core.errors import UserError
from protofair.core.strict import Strict, did_you_mean, problems, read_yaml
from protofair.data.attributes import ATTRIBUTES
from protofair.data.prepare.config import Prepare
from protofair.plan.lines import Lines
from protofair.plan.plan import Plan
from protofair.plan.resolve import OBJECTIVES, is_method, resolve
from protofair.plan.suite import Column, Row, Suite
from protofair.probe.config import ProbeConfig, SelectConfig, TsneConfig
from protofair.train.config import Fair, Warmup

Location = tuple[str | int, ...]
Problem = tuple[Location, str]
MODELS: dict[str, type[Strict]] = {
    "prepare": Prepare,
    "warmup": Warmup,
    "fair": Fair,
    "baseline": Baseline,
    "select": SelectConfig,
    "probe": ProbeConfig,
    "tsne": TsneConfig,
}


def read_suite(path: Path) -> Suite:
    """The suite in a file whose every name and value makes sense."""
    content = read_yaml(path)
    lines = Lines(path)
    try:
        suite = Suite.model_validate(content)
    except pydantic.ValidationError as error:
        raise _refused(path, lines, list(problems(Suite, error))) from None
    found = list(_unknown_names(suite))
    if found:
        raise _refused(path, lines, found)
    return suite


def resolve_checked(suite: Suite, path: Path) -> Plan:
    """The plan of a suite, every entry of it accepted by its stage."""
    plan = resolve(suite)
    lines = Lines(path)
    found: dict[str, None] = {}
    for fair in plan.fair.values():
        epochs, start = plan.warmup[fair["warmup"]]["epochs"], fair["from_epoch"]
        if start > epochs:
            text = f"'from_epoch': {start} is above the {epochs} epochs of the warm-up."
            found |= dict.fromkeys(f"{place}: {text}" for place in _places(path, lines, "from_epoch", start))
    for stage, model in MODELS.items() if not found else ():
        for key, entry in getattr(plan, stage).items():
            try:
                model.model_validate(entry)
            except pydantic.ValidationError as error:
                for problem, (where, text) in zip(error.errors(), problems(model, error), strict=True):
                    option = str(where[-1]) if where else ""
                    places = _places(path, lines, option, problem["input"]) or [f"{path}: {stage} {key}"]
                    found |= dict.fromkeys(f"{place}: {text}" for place in places)
    if found:
        raise UserError("\n".join(found))
    return plan


def _places(path: Path, lines: Lines, option: str, value: Any) -> list[str]:
    """Where in the suite an option has a value that a stage refuses."""
    return [f"{path}:{line}" for line in lines.saying(option, value)]


def _unknown_names(suite: Suite) -> Iterator[Problem]:
    for name in suite.objectives:
        yield from _unknown(("objectives", name), "objective", name, OBJECTIVES)
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
    weights = (row.adversary or {}).get("weight")
    if isinstance(weights, list) and (len(set(weights)) != 3 or len(weights) != 3):
        yield (*where, "adversary", "weight"), f"'weight': one, or three to choose from (got {weights})."
    for key in ("columns", "only"):
        for name in getattr(row, key):
            yield from _unknown((*where, key, name), "column", name, columns)


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


def _unknown(where: Location, what: str, name: str, known: Any) -> Iterator[Problem]:
    if name not in known:
        yield where, f"unknown {what} '{name}'. {did_you_mean(name, known)}"


def _numbered(place: Location, rows: list[Row]) -> list[tuple[Location, Row]]:
    return [((*place, number), row) for number, row in enumerate(rows)]


def _refused(path: Path, lines: Lines, found: list[Problem]) -> UserError:
    return UserError("\n".join(f"{path}:{lines.of(where)}: {text}" for where, text in found))
