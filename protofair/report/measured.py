"""What `protofair probe` writes about a task on the test split, as far as the report reads it."""

from typing import Any

from pydantic import BaseModel, ValidationError


class Estimate(BaseModel):
    """All None where the value is undefined."""

    value: float | None
    low: float | None
    high: float | None


class Group(BaseModel):
    count: int
    accuracy: Estimate
    auroc: Estimate
    tpr: dict[str, Estimate]
    fpr: dict[str, Estimate]


class Attribute(BaseModel):
    accuracy: Estimate
    balanced_accuracy: Estimate
    majority_rate: Estimate
    auroc: Estimate
    predicts_one_class: bool
    at_majority_rate: bool


class Target(Attribute):
    equalized_odds: Estimate
    auroc_gap: Estimate
    counts: dict[str, dict[str, int]]
    groups: dict[str, Group]


class Measured(Target):
    mixing: Estimate
    sensitive: Attribute
    own: Target | None = None


def check_measured(content: Any) -> None:
    """Raise ValueError with the first thing that is missing or of another kind."""
    try:
        Measured.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}") from None
