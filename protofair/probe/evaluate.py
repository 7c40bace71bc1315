"""What is measured of a task on a split: every metric with its interval, the counts behind it, and warning flags."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protofair.probe import metrics
from protofair.probe.auroc import Auroc
from protofair.probe.bootstrap import Estimate, Statistic, estimate

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Answers:
    """What a probe says about an attribute of n images. Classes are numbered in the order of their values."""

    class_values: tuple[int, ...]  # the attribute's value of each class, C of them
    label: Ints  # true class [n]
    score: Floats  # log-odds of class 1 [n, 1] where there are two classes, else log-probabilities [n, C]

    @cached_property
    def prediction(self) -> Ints:
        """The likeliest class [n]."""
        if len(self.class_values) == 2:
            return (self.score[:, 0] > 0).astype(np.int64)
        return self.score.argmax(axis=1)

    @property
    def positive_classes(self) -> range:
        """The classes asked for one against the rest: of two, one is enough."""
        return range(1, 2) if len(self.class_values) == 2 else range(len(self.class_values))

    def aurocs(self, among: NDArray[np.bool_]) -> list[Auroc]:
        """One for each positive class, of the images in `among` bool [n]; AUROC is their mean."""
        return [
            Auroc(self.label == c, score, among=among)
            for c, score in zip(self.positive_classes, self.score.T, strict=True)
        ]


class Overall:
    """The metrics that need no groups."""

    def __init__(self, answers: Answers) -> None:
        self.cells = _Cells(answers, np.zeros_like(answers.label), num_groups=1)
        self.aurocs = answers.aurocs(np.ones(len(answers.label), dtype=bool))

    def __call__(self, weights: Floats) -> Mapping[str, Floats]:
        counts = self.cells(weights)
        return {
            "accuracy": metrics.accuracy(counts),
            "balanced_accuracy": metrics.balanced_accuracy(counts),
            "majority_rate": metrics.majority_rate(counts),
            "auroc": _mean_auroc(self.aurocs, weights),
        }


class ByGroup:
    """The metrics that compare sensitive groups; what is said of each group has S as its last dimension."""

    def __init__(self, answers: Answers, *, sensitive: Ints, num_groups: int) -> None:
        self.cells = _Cells(answers, sensitive, num_groups=num_groups)
        self.aurocs = [answers.aurocs(sensitive == s) for s in range(num_groups)]

    def __call__(self, weights: Floats) -> Mapping[str, Floats]:
        counts = self.cells(weights)
        aurocs = np.stack([_mean_auroc(group, weights) for group in self.aurocs], axis=-1)
        return {
            "equalized_odds": metrics.odds_difference(counts),
            "auroc_gap": aurocs.max(axis=-1) - aurocs.min(axis=-1),
            "group_accuracy": metrics.group_accuracy(counts),
            "group_auroc": aurocs,
            "tpr": metrics.true_positive_rate(counts),
            "fpr": metrics.false_positive_rate(counts),
        }


def evaluate(
    target: Answers, sensitive: Answers, *, mixing: Statistic, resamples: int, seed: int, name: str
) -> dict[str, Any]:
    """A task on a split: the target probe, its fairness over the groups, the sensitive probe, how the groups mix.

    `name` stands before a warning about an empty cell.
    """
    groups, rows = sensitive.class_values, len(target.label)
    by_group = ByGroup(target, sensitive=sensitive.label, num_groups=len(groups))
    statistics: dict[str, Statistic] = {
        "target": Overall(target),
        "groups": by_group,
        "sensitive": Overall(sensitive),
        "mixing": mixing,
    }
    estimates = estimate(statistics, rows=rows, resamples=resamples, seed=seed)
    counts = by_group.cells(np.ones((1, rows)))[0]
    metrics.warn_of_empty_cells(counts, classes=np.array(target.class_values), groups=np.array(groups), name=name)
    images = counts.sum(axis=-1).astype(np.int64)
    compared = estimates["groups"]
    return {
        "count": rows,
        "counts": _by_value(target.class_values, [_by_value(groups, row.tolist()) for row in images]),
        **_attribute(target, estimates["target"]),
        "equalized_odds": rounded(compared["equalized_odds"]),
        "auroc_gap": rounded(compared["auroc_gap"]),
        "groups": _by_value(groups, [_group(target, images, compared, s) for s in range(len(groups))]),
        "sensitive": _attribute(sensitive, estimates["sensitive"]),
        "mixing": rounded(estimates["mixing"]["mixing"]),
    }


class _Cells:
    """Weights [b, n] to counts [b, C, S, C]."""

    def __init__(self, answers: Answers, sensitive: Ints, *, num_groups: int) -> None:
        classes = len(answers.class_values)
        self.shape = (classes, num_groups, classes)
        self.cells = metrics.cell_numbers(
            answers.label, answers.prediction, sensitive, num_classes=classes, num_groups=num_groups
        )

    def __call__(self, weights: Floats) -> Floats:
        size = int(np.prod(self.shape))
        return np.stack([np.bincount(self.cells, row, minlength=size).reshape(self.shape) for row in weights])


def _mean_auroc(aurocs: list[Auroc], weights: Floats) -> Floats:
    mean: Floats = np.mean([auroc(weights) for auroc in aurocs], axis=0)
    return mean


def _attribute(answers: Answers, estimates: Mapping[str, Estimate]) -> dict[str, Any]:
    return {
        **{name: rounded(value) for name, value in estimates.items()},
        "predicts_one_class": len(np.unique(answers.prediction)) == 1,
        # The test set cannot tell the probe from one that always answers the most frequent class.
        "at_majority_rate": bool(estimates["accuracy"].low <= estimates["majority_rate"].value),
    }


def _group(target: Answers, images: Ints, estimates: Mapping[str, Estimate], s: int) -> dict[str, Any]:
    rates = {
        name: {str(target.class_values[c]): rounded(_at(estimates[name], (c, s))) for c in target.positive_classes}
        for name in ("tpr", "fpr")
    }
    measured = {name: rounded(_at(estimates[f"group_{name}"], (s,))) for name in ("accuracy", "auroc")}
    return {"count": int(images[:, s].sum()), **measured, **rates}


def _at(estimates: Estimate, place: tuple[int, ...]) -> Estimate:
    return Estimate(*(part[place] for part in estimates))


def rounded(estimates: Estimate) -> dict[str, float]:
    """Six decimals: far below the interval, and the same bytes where the last bits of a sum differ."""
    return {name: round(float(number), 6) for name, number in estimates._asdict().items()}


def _by_value(values: tuple[int, ...], items: list[Any]) -> dict[str, Any]:
    return {str(value): item for value, item in zip(values, items, strict=True)}
