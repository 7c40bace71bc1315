"""What the paper claims of the features themselves: the sensitive probe (Table 6) and the t-SNE figure."""

import math

from protofair.report.claims.compare import FALLS, Check, Rows, in_columns
from protofair.report.claims.rules import higher
from protofair.report.claims.statement import Statement
from protofair.report.metrics import METRICS, change, number
from protofair.report.model import Difference, Evidence, Interval, TsnePanel, Verdict
from protofair.report.results import Results

SECTION = "4.4 Qualitative Analysis of Representation Fairness"
TABLE = "table6"
ROWS = Rows(TABLE, base="SupCon", new="SupCon + ProtoFair")
MIXING = METRICS["mixing"]


def _sensitive_probe(results: Results) -> list[Evidence]:
    return in_columns(results, ROWS, results.paper_columns(TABLE), [Check("sensitive.accuracy", FALLS)])


def _mixed(results: Results) -> list[Evidence]:
    """Mixing in the plane decides, as in the paper's figure; mixing of the features themselves stands beside it."""
    panels = {(panel.row, panel.column): panel for panel in results.panels}
    lines = []
    columns = dict.fromkeys(panel.column for panel in results.panels)
    for column in columns:
        base, new = (panels.get((row, column)) for row in (ROWS.base, ROWS.new))
        if base and new:
            lines += _compared(column, base, new)
    for column in results.paper_columns(TABLE):
        if column not in columns:
            verdict: Verdict | None = "not run" if results.full or not columns else None
            lines.append(Evidence("missing", f"{column}: this suite draws no t-SNE of it", verdict))
    return lines


def _compared(column: str, base: TsnePanel, new: TsnePanel) -> list[Evidence]:
    lines = []
    for panel in (base, new):
        if panel.state != "done":
            lines.append(Evidence("missing", f"{column}: {panel.row} is {panel.state}; {panel.note}", "not run"))
    for space, decides in (("plane", True), ("features", False)):
        before, after = base.mixing.get(space), new.mixing.get(space)
        if before and after:
            difference = _apart(after, before)
            values = f"{number(before.value, MIXING)} → {number(after.value, MIXING)}"
            text = f"{column}: mixing in the {space} {values}, {change(difference, MIXING)}"
            lines.append(Evidence("ours", text, higher(difference) if decides else None, difference))
    return lines


def _apart(a: Interval, b: Interval) -> Difference:
    """a minus b of two pictures, their half widths in quadrature."""
    value = a.value - b.value
    below = math.hypot(a.value - a.low, b.high - b.value)
    above = math.hypot(a.high - a.value, b.value - b.low)
    return Difference(value, value - below, value + above, 1)


STATEMENTS = (
    Statement(
        "sensitive-probe",
        "After ProtoFair a linear probe reads the sensitive attribute off the features less well, for both targets.",
        SECTION,
        "For each target the interval of the difference in the probe's accuracy, paired by test image, lies below 0.",
        _sensitive_probe,
    ),
    Statement(
        "tsne-mixing",
        "In the t-SNE pictures the sensitive groups, apart before, intermix after ProtoFair.",
        SECTION,
        "For each target the picture's mixing score (1: as mixed as chance, 0: apart) is higher, by intervals.",
        _mixed,
    ),
)
