"""What the paper claims of CelebA with target labels (Table 1)."""

from collections.abc import Iterable
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
from protofair.report.claims.rules import NEAR, lower
from protofair.report.claims.statement import Statement
from protofair.report.model import Evidence
from protofair.report.results import Results

SECTION = "4.3 Evaluation Results"
TABLE = "table1"
OURS = "SupCon + ProtoFair"
ROWS = Rows(TABLE, base="SupCon", new=OURS)
DEDICATED = ("GRL", "LNL", "FD-VAE")
NOT_LESS_FAIR = Check("equalized_odds", partial(lower, than=NEAR), improves=False)
MORE_ACCURATE = Check("accuracy", RISES, improves=False)


def _all_pairs(results: Results) -> list[Evidence]:
    return in_columns(results, ROWS, results.paper_columns(TABLE), [EO_FALLS])


def _big_nose_young(results: Results) -> list[Evidence]:
    return in_columns(results, ROWS, ["T:b, S:y"], [EO_FALLS, accuracy_loss_below(NEAR)])


def _attractive_male(results: Results) -> list[Evidence]:
    return in_columns(results, ROWS, ["T:a, S:m"], [EO_FALLS, Check("accuracy", NEARLY_SAME, improves=False)])


def _near_fscl(results: Results) -> list[Evidence]:
    as_fair = Check("equalized_odds", NEARLY_SAME, improves=False)
    return in_columns(results, Rows(TABLE, base="FSCL", new=OURS), ["T:e, S:y"], [as_fair, MORE_ACCURATE])


def _dedicated(results: Results) -> list[Evidence]:
    lines = []
    for method in DEDICATED:
        rows = Rows(TABLE, base=method, new=OURS)
        found = in_columns(results, rows, results.paper_columns(TABLE), [NOT_LESS_FAIR, MORE_ACCURATE])
        lines += [line for line in found if line.kind != "paper"]
    return [*lines, _by_the_papers_numbers(results)]


def _by_the_papers_numbers(results: Results) -> Evidence:
    """The claim held against the table it stands beside."""
    fair = accurate = compared = 0
    for method in DEDICATED:
        for column in results.paper_columns(TABLE):
            eo, accuracy = (
                [results.paper(TABLE, row, column, metric) for row in (OURS, method)]
                for metric in ("equalized_odds", "accuracy")
            )
            fair += _above(eo) < NEAR
            accurate += _above(accuracy) > 0
            compared += 1
    text = f"of the {compared} comparisons the paper prints, EO is no more than {NEAR:g} point higher in {fair}"
    return Evidence("paper", f"{text}, accuracy higher in {accurate}")


def _above(pair: Iterable[float | None]) -> float:
    ours, other = (0.0 if value is None else value for value in pair)
    return ours - other


STATEMENTS = (
    Statement(
        "celeba-eo",
        "Adding ProtoFair to SupCon lowers EO on all six pairs of target and sensitive attribute.",
        SECTION,
        "On each pair the interval of EO with ProtoFair minus EO of SupCon, paired by test image, lies below 0.",
        _all_pairs,
    ),
    Statement(
        "celeba-big-nose-young",
        "For big nose and young, EO falls (in the paper {change}) at a cost of less than one point of accuracy.",
        SECTION,
        f"The interval of the EO difference lies below 0, and that of the accuracy difference above −{NEAR:g} point.",
        _big_nose_young,
        change=(ROWS, "T:b, S:y", "equalized_odds"),
    ),
    Statement(
        "celeba-attractive-male",
        "For attractive and male, EO falls (in the paper {change}) while accuracy hardly changes.",
        SECTION,
        f"The interval of the EO difference lies below 0, and that of the accuracy difference within ±{NEAR:g} point.",
        _attractive_male,
        change=(ROWS, "T:a, S:m", "equalized_odds"),
    ),
    Statement(
        "celeba-near-fscl",
        "For bags under eyes and young, SupCon with ProtoFair is as fair as FSCL and more accurate.",
        SECTION,
        f"Against FSCL, the interval of the EO difference lies within ±{NEAR:g} point, that of accuracy above 0.",
        _near_fscl,
    ),
    Statement(
        "celeba-dedicated",
        "SupCon with ProtoFair is about as fair as GRL, LNL and FD-VAE, or fairer, and always more accurate.",
        SECTION,
        f"Against each method on each pair, EO is less than {NEAR:g} point higher and accuracy higher, by intervals.",
        _dedicated,
    ),
)
