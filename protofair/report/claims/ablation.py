"""What the paper claims of the number of prototypes K and the weight λ (its ablation figure)."""

from collections.abc import Iterable

from protofair.report.claims.compare import FALLS, NEARLY_SAME, Rule, caution, missing, ours_line
from protofair.report.claims.rules import NEAR, higher
from protofair.report.claims.statement import Statement
from protofair.report.metrics import METRICS
from protofair.report.model import Difference, Evidence, Verdict
from protofair.report.results import Results

SECTION = "4.5 Ablation Study"
DEFAULT_K, DEFAULT_WEIGHT = 10.0, 0.3
EO, ACCURACY = METRICS["equalized_odds"], METRICS["accuracy"]


def _stable_over_k(results: Results) -> list[Evidence]:
    others = [k for k in results.varied("num_prototypes") if k != DEFAULT_K]
    lines = _against(results, "num_prototypes", others, DEFAULT_K, {ACCURACY.name: NEARLY_SAME})
    low, high = results.reference.ablation.accuracy_over_num_prototypes
    return [*lines, Evidence("paper", f"the paper's accuracies lie between {low} and {high} over all K and four pairs")]


def _sweet_spot(results: Results) -> list[Evidence]:
    low, high = results.reference.ablation.sweet_spot_of_weight
    inside = [weight for weight in results.varied("weight") if low <= weight <= high]
    return _against(results, "weight", inside, 0.0, {EO.name: FALLS, ACCURACY.name: _little_loss})


def _too_much(results: Results) -> list[Evidence]:
    start = results.reference.ablation.accuracy_falls_from_weight
    large = [weight for weight in results.varied("weight") if weight >= start]
    return _against(results, "weight", large, DEFAULT_WEIGHT, {ACCURACY.name: FALLS})


def _against(
    results: Results, vary: str, values: Iterable[float], base: float, rules: dict[str, Rule]
) -> list[Evidence]:
    """Each value of an option against a base value of it, on each pair of the figure."""
    lines: list[Evidence] = []
    for value in values:
        for column in results.ablated_columns:
            cells = [results.ablation.get((vary, each, column)) for each in (base, value)]
            before, after = cells
            if before is None or after is None:
                lines.append(Evidence("missing", f"{column}: the suite does not vary {vary} over {base:g}", "not run"))
                continue
            label = f"{column}, {SYMBOLS[vary]} {base:g} → {value:g}: "
            lines += missing(label, before, after)
            for name, rule in rules.items():
                lines.append(ours_line(results, label, before, after, METRICS[name], rule))
                lines += caution(label, after, METRICS[name])
    return lines or [Evidence("missing", f"this suite has no such values of {SYMBOLS[vary]}", "not run")]


def _little_loss(difference: Difference) -> Verdict:
    return higher(difference, than=-NEAR)


SYMBOLS = {"num_prototypes": "K", "weight": "λ"}
STATEMENTS = (
    Statement(
        "ablation-k",
        "Accuracy is stable over the number of prototypes K.",
        SECTION,
        f"On each pair, accuracy at each K minus accuracy at K = {DEFAULT_K:g} has an interval within ±{NEAR:g} point.",
        _stable_over_k,
    ),
    Statement(
        "ablation-sweet-spot",
        "A weight λ of {ablation.sweet_spot_of_weight[0]:g} to {ablation.sweet_spot_of_weight[1]:g} lowers EO"
        " at little cost in accuracy.",
        SECTION,
        f"On each pair and at each such λ, against λ = 0 with the same training, EO is lower and accuracy less than"
        f" {NEAR:g} point lower, by intervals.",
        _sweet_spot,
    ),
    Statement(
        "ablation-too-much",
        "A weight λ of {ablation.accuracy_falls_from_weight:g} or more costs accuracy.",
        SECTION,
        f"On each pair and at each such λ the interval of accuracy minus that at λ = {DEFAULT_WEIGHT:g} lies below 0.",
        _too_much,
    ),
)
