"""All claims, in the order of the paper."""

from protofair.report.claims import ablation, celeba, features, nih, utkface, without_labels
from protofair.report.model import Claim
from protofair.report.results import Results

STATEMENTS = (
    *celeba.STATEMENTS,
    *without_labels.STATEMENTS,
    *utkface.STATEMENTS,
    *nih.STATEMENTS,
    *features.STATEMENTS,
    *ablation.STATEMENTS,
)


def decide(results: Results) -> tuple[Claim, ...]:
    return tuple(statement.decide(results) for statement in STATEMENTS)
