"""What the paper claims of NIH Chest X-rays (Table 5)."""

from functools import partial

from protofair.report.claims.compare import EO_FALLS, FALLS, NEARLY_SAME, RISES, Check, Rows, in_columns
from protofair.report.claims.rules import NEAR
from protofair.report.claims.statement import Statement
from protofair.report.metrics import number
from protofair.report.model import Evidence
from protofair.report.results import Results

SECTION = "4.3 Evaluation Results"
TABLE = "table5"
COLUMN = "Pneumothorax"
ROWS = Rows(TABLE, base="SupCon", new="SupCon + ProtoFair")


def _lines(results: Results, check: Check) -> list[Evidence]:
    return in_columns(results, ROWS, [COLUMN], [check])


def _accuracy(results: Results) -> list[Evidence]:
    """With the rate of the majority class, which the paper's accuracies do not reach."""
    lines = _lines(results, Check("accuracy", NEARLY_SAME, improves=False))
    cell = results.cell(TABLE, ROWS.new, COLUMN)
    majority = cell.summary("majority_rate") if cell else None
    if majority:
        rate = number(majority.mean, results.metric(TABLE, "accuracy"))
        lines.append(Evidence("ours", f"{COLUMN}: always answering the majority class has an accuracy of {rate}"))
    return lines


STATEMENTS = (
    Statement(
        "nih-auroc-gap",
        "On chest X-rays, ProtoFair shrinks the AUROC gap between the sexes (in the paper {change}).",
        SECTION,
        "The interval of the gap with ProtoFair minus the gap of SupCon, paired by test image, lies below 0.",
        partial(_lines, check=Check("auroc_gap", FALLS)),
        change=(ROWS, COLUMN, "auroc_gap"),
    ),
    Statement(
        "nih-eo",
        "On chest X-rays, it lowers EO (in the paper {change}).",
        SECTION,
        "The interval of the EO difference, paired by test image, lies below 0.",
        partial(_lines, check=EO_FALLS),
        change=(ROWS, COLUMN, "equalized_odds"),
    ),
    Statement(
        "nih-auroc",
        "On chest X-rays, it raises AUROC (in the paper {change}).",
        SECTION,
        "The interval of the AUROC difference, paired by test image, lies above 0.",
        partial(_lines, check=Check("auroc", RISES)),
        change=(ROWS, COLUMN, "auroc"),
    ),
    Statement(
        "nih-accuracy",
        "On chest X-rays, it costs next to no accuracy.",
        SECTION,
        f"The interval of the accuracy difference lies within ±{NEAR:g} point.",
        _accuracy,
    ),
)
