"""Accuracy and fairness of predictions, as functions of how many images fall into each cell.

`counts` is [..., C, S, C]: images with target class y, in sensitive group s, predicted as class p. The leading
dimensions are resamples of a bootstrap, so a metric and its interval have one definition. Everything is in per cent.
What cannot be known because a cell is empty is NaN.
"""

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def equalized_odds(target: ArrayLike, prediction: ArrayLike, *, sensitive: ArrayLike) -> float:
    """Violation of equalized odds in per cent, as FSCL measures it: 0 is fair.

    The mean over target classes y and pairs of sensitive groups j < k of |Acc(y, s_j) - Acc(y, s_k)|, where Acc(y, s)
    is the accuracy on the images of class y in group s. For binary labels it is 100 times fairlearn's
    `equalized_odds_difference(agg="mean")`. Any number of classes and groups; lists, arrays or tensors of shape [n].
    A class without images in one of the groups, a single class or a single group give NaN and a warning.
    """
    columns = [_labels(target, "target"), _labels(prediction, "prediction"), _labels(sensitive, "sensitive")]
    if len({len(column) for column in columns}) > 1:
        sizes = ", ".join(str(len(column)) for column in columns)
        raise ValueError(f"target, prediction and sensitive must have one entry a sample, got {sizes} entries.")
    classes = np.unique(np.concatenate(columns[:2]))
    groups = np.unique(columns[2])
    y, p = (np.searchsorted(classes, column) for column in columns[:2])
    counts = count_cells(y, p, np.searchsorted(groups, columns[2]), num_classes=len(classes), num_groups=len(groups))
    warn_of_empty_cells(counts, classes=classes, groups=groups, name="equalized_odds")
    return float(odds_difference(counts))


def count_cells(target: Ints, prediction: Ints, sensitive: Ints, *, num_classes: int, num_groups: int) -> Floats:
    """`counts` [C, S, C] of class and group numbers [n]."""
    cells = cell_numbers(target, prediction, sensitive, num_classes=num_classes, num_groups=num_groups)
    shape = (num_classes, num_groups, num_classes)
    return np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape).astype(np.float64)


def cell_numbers(target: Ints, prediction: Ints, sensitive: Ints, *, num_classes: int, num_groups: int) -> Ints:
    """The position of each sample's cell in a flattened `counts`, [n]."""
    return (target * num_groups + sensitive) * num_classes + prediction


def odds_difference(counts: Floats) -> Floats:
    """EO [...]: the mean of |TPR(y, s_j) - TPR(y, s_k)| over classes and pairs of groups."""
    rates = true_positive_rate(counts)
    first, second = np.triu_indices(counts.shape[-2], k=1)
    if len(first) == 0 or counts.shape[-1] < 2:
        return np.full(counts.shape[:-3], np.nan)
    difference: Floats = np.abs(rates[..., first] - rates[..., second]).mean(axis=(-2, -1))
    return difference


def true_positive_rate(counts: Floats) -> Floats:
    """[..., C, S]: of the images of class y in group s, the share predicted as y."""
    return _share(np.einsum("...ysy->...ys", counts), counts.sum(axis=-1))


def false_positive_rate(counts: Floats) -> Floats:
    """[..., C, S]: of the images of group s not of class c, the share predicted as c."""
    predicted = counts.sum(axis=-3).swapaxes(-1, -2)
    right = np.einsum("...ysy->...ys", counts)
    images = counts.sum(axis=-1)
    return _share(predicted - right, images.sum(axis=-2, keepdims=True) - images)


def accuracy(counts: Floats) -> Floats:
    """[...]: the share of right predictions."""
    return _share(np.einsum("...ysy->...", counts), counts.sum(axis=(-3, -2, -1)))


def group_accuracy(counts: Floats) -> Floats:
    """[..., S]: the share of right predictions in each group."""
    return _share(np.einsum("...ysy->...s", counts), counts.sum(axis=(-3, -1)))


def balanced_accuracy(counts: Floats) -> Floats:
    """[...]: the mean over classes of the share of their images that is predicted right."""
    shares: Floats = _share(np.einsum("...ysy->...y", counts), counts.sum(axis=(-2, -1))).mean(axis=-1)
    return shares


def majority_rate(counts: Floats) -> Floats:
    """[...]: the accuracy of always answering the most frequent class."""
    classes = counts.sum(axis=(-2, -1))
    return _share(classes.max(axis=-1), classes.sum(axis=-1))


def warn_of_empty_cells(counts: Floats, *, classes: NDArray[Any], groups: NDArray[Any], name: str) -> None:
    """Say which cells of `counts` [C, S, C] make EO undefined: it is then NaN, not a perfect 0."""
    if len(classes) < 2 or len(groups) < 2:
        message = f"{name}: EO needs two classes and two groups, got {len(classes)} and {len(groups)}: it is NaN."
        warnings.warn(message, stacklevel=3)
    for y, s in np.argwhere(counts.sum(axis=-1) == 0):
        message = f"{name}: no image has target {classes[y]} and sensitive value {groups[s]}: EO is NaN."
        warnings.warn(message, stacklevel=3)


def _share(part: Floats, whole: Floats) -> Floats:
    """100 part / whole, and NaN of nothing."""
    with np.errstate(invalid="ignore"):
        share: Floats = 100.0 * np.where(whole > 0, part, np.nan) / whole
    return share


def _labels(values: Any, name: str) -> NDArray[Any]:
    """Class labels [n] from a list, an array or a tensor on any device."""
    labels = np.asarray(values.detach().cpu() if hasattr(values, "detach") else values)
    if labels.ndim != 1 or len(labels) == 0:
        raise ValueError(f"{name} must be one-dimensional and not empty, got the shape {list(labels.shape)}.")
    if labels.dtype.kind == "f" and not np.array_equal(labels, np.rint(labels)):
        raise ValueError(f"{name} must hold class labels, got fractions or NaN. Pass predicted classes, not scores.")
    return labels
