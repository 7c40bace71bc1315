"""Tables 1 to 6 in the paper's layout, with the suite's own rows after the paper's and controls below their rows."""

from collections.abc import Iterator

from protofair.report.cells import build_cell
from protofair.report.model import Row, State, TableModel
from protofair.report.results import Results, base_row

CONTROL = "its equal-training control (λ = 0)"


def build_tables(results: Results) -> tuple[TableModel, ...]:
    """The paper's tables, then what the suite has beyond them."""
    names = dict.fromkeys([*results.reference.tables, *results.tables])
    return tuple(_table(results, name) for name in names)


def _table(results: Results, name: str) -> TableModel:
    reference = results.reference.tables.get(name)
    planned = results.tables.get(name, {}).get("runs", {})
    columns = tuple(dict.fromkeys([*(reference.columns if reference else ()), *(column for _, column in planned)]))
    rows = dict.fromkeys([*(reference.rows if reference else ()), *(row for row, _ in planned)])
    return TableModel(
        name,
        number=reference.number if reference else None,
        title=reference.title if reference else name,
        section=reference.section if reference else "",
        metrics=tuple(results.metric(name, metric) for metric in results.metric_names(name)),
        columns=columns,
        rows=tuple(built for row in rows for built in _rows(results, name, row, columns)),
        state=_state([cell.state for cell in planned.values()]),
    )


def _rows(results: Results, table: str, row: str, columns: tuple[str, ...]) -> Iterator[Row]:
    """A row, and its control if the suite has one."""
    reference = results.reference.tables.get(table)
    printed = reference.rows.get(row) if reference else None
    ours = base_row(row) is not None
    yield Row(
        row,
        kind="paper" if printed else "added",
        quoted=bool(printed and printed.quoted),
        ours=ours,
        cells=tuple(build_cell(results, table, row, column) for column in columns),
        rule=bool(printed and printed.rule),
    )
    if any(results.cell(table, row, column, control=True) for column in columns):
        cells = tuple(build_cell(results, table, row, column, control=True) for column in columns)
        yield Row(CONTROL, kind="control", quoted=False, ours=False, cells=cells)


def _state(states: list[State]) -> State:
    if not states:
        return "not planned"
    if "broken" in states:
        return "broken"
    return states[0] if len(set(states)) == 1 else "partial"
