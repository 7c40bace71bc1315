"""What the paper claims of CelebA without target labels: SimCLR (Table 2), BarlowTwins and BYOL (Table 3)."""

from functools import partial

from protofair.report.claims.compare import (
    EO_FALLS,
    NEARLY_SAME,
    RISES,
    Check,
    Rows,
    accuracy_loss_below,
    in_columns,
)
from protofair.report.claims.rules import MINOR, NEAR
from protofair.report.claims.statement import Statement
from protofair.report.model import Evidence
from protofair.report.results import Results

SECTION = "4.3 Evaluation Results"
BASES = ("BarlowTwins", "BYOL")


def _simclr(results: Results) -> list[Evidence]:
    return in_columns(results, _pair("table2", "SimCLR"), results.paper_columns("table2"), [EO_FALLS])


def _simclr_grl(results: Results) -> list[Evidence]:
    rows = Rows("table2", base="SimCLR + GRL", new="SimCLR + ProtoFair")
    checks = [Check("equalized_odds", NEARLY_SAME, improves=False), Check("accuracy", RISES, improves=False)]
    return in_columns(results, rows, results.paper_columns("table2"), checks)


def _fairer(results: Results, base: str) -> list[Evidence]:
    return in_columns(results, _pair("table3", base), results.paper_columns("table3"), [EO_FALLS])


def _minor_cost(results: Results) -> list[Evidence]:
    columns = results.paper_columns("table3")
    check = accuracy_loss_below(MINOR)
    return [line for base in BASES for line in in_columns(results, _pair("table3", base), columns, [check])]


def _pair(table: str, base: str) -> Rows:
    return Rows(table, base=base, new=f"{base} + ProtoFair")


STATEMENTS = (
    Statement(
        "simclr-eo",
        "Without target labels, adding ProtoFair to SimCLR lowers EO (in the paper {change}).",
        SECTION,
        "The interval of EO with ProtoFair minus EO of SimCLR, paired by test image, lies below 0.",
        _simclr,
        change=(_pair("table2", "SimCLR"), "T:a, S:m", "equalized_odds"),
    ),
    Statement(
        "simclr-grl",
        "SimCLR with ProtoFair is as fair as SimCLR with GRL, and more accurate.",
        SECTION,
        f"Against SimCLR + GRL, the interval of the EO difference lies within ±{NEAR:g} point, of accuracy above 0.",
        _simclr_grl,
    ),
    *(
        Statement(
            f"{base.lower()}-eo",
            f"Adding ProtoFair to {base} lowers EO on all four pairs.",
            SECTION,
            f"On each pair the interval of EO with ProtoFair minus EO of {base}, paired by test image, lies below 0.",
            partial(_fairer, base=base),
        )
        for base in BASES
    ),
    Statement(
        "without-labels-accuracy",
        "With BarlowTwins and BYOL the accuracy this costs is minor.",
        SECTION,
        f"On each pair the interval of the accuracy difference lies above −{MINOR:g} points.",
        _minor_cost,
    ),
)
