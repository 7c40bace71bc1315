"""Cut a suite down to some of its tables, figures or data sets, give it other seeds, or take all of its rows."""

from typing import Any

from protofair.core.errors import UserError
from protofair.core.strict import did_you_mean
from protofair.plan.suite import Suite

FIGURES = ("tsne", "ablation")


def with_full(suite: Suite) -> Suite:
    """The suite with the rows it has for `--full`: each after the table's own, or in the place of its namesake."""
    tables = dict(suite.tables)
    for name, rows in suite.full.items():
        merged = {row.name: row for row in (*suite.tables[name].rows, *rows)}
        tables[name] = suite.tables[name].model_copy(update={"rows": list(merged.values())})
    return suite.model_copy(update={"tables": tables})


def narrow(suite: Suite, *, seeds: list[int] | None, only: list[str] | None) -> Suite:
    """The part of `suite` that `only` names (all of it if None), with `seeds` if given."""
    if seeds:
        suite = _with_seeds(suite, seeds)
    update: dict[str, Any] = {}
    if only:
        figures = [name for name in FIGURES if getattr(suite, name) is not None]
        datasets = {data.dataset for data in suite.data.values()}
        known = {*suite.tables, *figures, *suite.data, *datasets}
        for name in only:
            if name not in known:
                raise UserError(f"params/{suite.suite}.yaml: --only {name}: no such part. {did_you_mean(name, known)}")
        tables = {name: _columns(table, name, suite, only) for name, table in suite.tables.items()}
        update["tables"] = {name: table for name, table in tables.items() if table is not None}
        for name in figures:
            update[name] = _columns(getattr(suite, name), name, suite, only)
    return suite.model_copy(update=update)


def _with_seeds(suite: Suite, seeds: list[int]) -> Suite:
    """The same seeds for every column, those that have their own included."""
    content = suite.model_dump(exclude_unset=True)
    for part in (*content.get("tables", {}).values(), *(content[name] for name in FIGURES if content.get(name))):
        for column in part["columns"].values():
            column.pop("seeds", None)
    return Suite.model_validate({**content, "seeds": seeds})


def _columns(part: Any, name: str, suite: Suite, only: list[str]) -> Any:
    """The part with the columns that are asked for, or None."""
    if name in only:
        return part
    kept = {}
    for label, column in part.columns.items():
        data = column.data or part.data
        if data in only or suite.data[data].dataset in only:
            kept[label] = column
    return part.model_copy(update={"columns": kept}) if kept else None
