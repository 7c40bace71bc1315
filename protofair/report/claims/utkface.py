"""What the paper claims of UTKFace under three imbalances (Table 4)."""

from itertools import combinations

from protofair.report.claims.compare import EO_FALLS, Rows, accuracy_loss_below, in_columns
from protofair.report.claims.rules import MINOR, higher, within
from protofair.report.claims.statement import Statement
from protofair.report.difference import Sampled, over_seeds, pairwise
from protofair.report.metrics import METRICS, change
from protofair.report.model import Evidence
from protofair.report.results import Results

SECTION = "4.3 Evaluation Results"
TABLE = "table4"
ROWS = Rows(TABLE, base="SupCon", new="SupCon + ProtoFair")
# Percentage points between the shares of EO removed that still count as the same share; the paper's differ by 5.
STABLE = 20.0
EO = METRICS["equalized_odds"]


def _every_alpha(results: Results) -> list[Evidence]:
    return in_columns(results, ROWS, results.paper_columns(TABLE), [EO_FALLS])


def _accuracy(results: Results) -> list[Evidence]:
    return in_columns(results, ROWS, results.paper_columns(TABLE), [accuracy_loss_below(MINOR)])


def _stable_gain(results: Results) -> list[Evidence]:
    """The share of EO that ProtoFair removes: there is a gain at each alpha, and it is the same at any two."""
    lines = [line for line in in_columns(results, ROWS, results.paper_columns(TABLE), []) if line.kind == "missing"]
    gains = {}
    for column in results.paper_columns(TABLE):
        base, new = (results.cell(TABLE, row, column) for row in (ROWS.base, ROWS.new))
        if base and new:
            before, after = results.sampled(base, EO.name), results.sampled(new, EO.name)
            gains[column] = {seed: after[seed].gain_over(before[seed]) for seed in after if seed in before}
            lines += _gain_line(results, column, gains[column])
    for a, b in combinations(gains, 2):
        difference = over_seeds(pairwise(gains[a], gains[b]))
        if difference is not None:
            text = f"{a} against {b}: {change(difference, EO)} percentage points"
            lines.append(Evidence("ours", text, within(difference, STABLE), difference))
    if len(gains) < 2:
        lines.append(Evidence("missing", "needs two imbalances to compare", "not run"))
    return lines


def _gain_line(results: Results, column: str, gains: dict[str, Sampled]) -> list[Evidence]:
    gain = over_seeds(list(gains.values()))
    if gain is None:
        return [Evidence("missing", f"{column}: no EO to compare yet", "not run")]
    before, after = (results.paper(TABLE, row, column, EO.name) for row in (ROWS.base, ROWS.new))
    lines = [Evidence("ours", f"{column}: {change(gain, EO)} % of EO removed", higher(gain), gain)]
    if before and after is not None:
        lines.append(Evidence("paper", f"{column}: {100 * (1 - after / before):.1f} % by the paper's numbers"))
    return lines


STATEMENTS = (
    Statement(
        "utkface-eo",
        "On UTKFace, ProtoFair lowers EO at every imbalance.",
        SECTION,
        "At each alpha the interval of EO with ProtoFair minus EO of SupCon, paired by test image, lies below 0.",
        _every_alpha,
    ),
    Statement(
        "utkface-accuracy",
        "On UTKFace, it costs little accuracy.",
        SECTION,
        f"At each alpha the interval of the accuracy difference lies above −{MINOR:g} points.",
        _accuracy,
    ),
    Statement(
        "utkface-stable-gain",
        "On UTKFace, the relative gain stays the same as the imbalance grows.",
        SECTION,
        f"Some of EO is removed at each alpha, and the shares removed at two alphas differ by less than {STABLE:g}"
        " percentage points, by intervals.",
        _stable_gain,
    ),
)
