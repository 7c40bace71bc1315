import warnings

import numpy as np
import pytest
import torch
from fairlearn.metrics import MetricFrame, equalized_odds_difference, false_positive_rate, true_positive_rate
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import accuracy_score, balanced_accuracy_score

import protofair
from protofair.probe import metrics
from protofair.probe.metrics import equalized_odds

few = settings(deadline=None, max_examples=25)  # fairlearn takes its time


@st.composite
def labelled(draw, *, most_classes=4, most_groups=3):
    """Target, prediction and sensitive value of some images, with at least one image in each cell (y, s)."""
    num_classes, num_groups = draw(st.integers(2, most_classes)), draw(st.integers(2, most_groups))
    every = [(y, s) for y in range(num_classes) for s in range(num_groups)]
    more = draw(st.lists(st.sampled_from(every), max_size=40))
    target, sensitive = np.array(every + more).T
    prediction = draw(arrays(np.int64, len(target), elements=st.integers(0, num_classes - 1)))
    return target, prediction, sensitive, num_classes, num_groups


def counts_of(sample):
    target, prediction, sensitive, num_classes, num_groups = sample
    return metrics.count_cells(target, prediction, sensitive, num_classes=num_classes, num_groups=num_groups)


def loop_equalized_odds(target, prediction, sensitive):
    """The definition, one comparison at a time."""
    differences = []
    groups = sorted(set(sensitive))
    for y in sorted(set(target)):
        for j, first in enumerate(groups):
            for second in groups[j + 1 :]:
                accuracies = []
                for group in (first, second):
                    cell = [
                        p == y for t, p, s in zip(target, prediction, sensitive, strict=True) if (t, s) == (y, group)
                    ]
                    accuracies.append(sum(cell) / len(cell))
                differences.append(abs(accuracies[0] - accuracies[1]))
    return 100 * sum(differences) / len(differences)


def test_equalized_odds_by_hand():
    # y=0: group a 2 of 4 right, group b 1 of 1; y=1: group a 1 of 1, group b 1 of 4. EO = (50 + 75) / 2.
    target = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    sensitive = ["a", "a", "a", "a", "b", "a", "b", "b", "b", "b"]
    prediction = [0, 0, 1, 1, 0, 1, 1, 0, 0, 0]
    assert equalized_odds(target, prediction, sensitive=sensitive) == pytest.approx(62.5)


@few
@given(labelled())
def test_equalized_odds_is_its_definition(sample):
    target, prediction, sensitive, *_ = sample
    expected = loop_equalized_odds(target.tolist(), prediction.tolist(), sensitive.tolist())
    assert equalized_odds(target, prediction, sensitive=sensitive) == pytest.approx(expected)


@few
@given(labelled(most_classes=2, most_groups=2))
def test_binary_equalized_odds_is_fairlearns_mean(sample):
    target, prediction, sensitive, *_ = sample
    expected = 100 * equalized_odds_difference(target, prediction, sensitive_features=sensitive, agg="mean")
    assert equalized_odds(target, prediction, sensitive=sensitive) == pytest.approx(expected)


@few
@given(labelled(), st.randoms())
def test_equalized_odds_ignores_order_and_names(sample, random):
    target, prediction, sensitive, num_classes, num_groups = sample
    order = list(range(len(target)))
    random.shuffle(order)
    classes, groups = list(range(num_classes)), list(range(num_groups))
    random.shuffle(classes)
    random.shuffle(groups)
    renamed = (np.array(classes)[target], np.array(classes)[prediction], np.array(groups)[sensitive])
    t, p, s = (column[order] for column in renamed)
    assert equalized_odds(t, p, sensitive=s) == pytest.approx(equalized_odds(target, prediction, sensitive=sensitive))


@few
@given(labelled())
def test_equalized_odds_is_zero_for_perfect_and_bounded_for_any(sample):
    target, prediction, sensitive, *_ = sample
    assert equalized_odds(target, target, sensitive=sensitive) == 0
    assert 0 <= equalized_odds(target, prediction, sensitive=sensitive) <= 100


@pytest.mark.parametrize("kind", [list, tuple, np.array, torch.tensor])
def test_equalized_odds_takes_lists_arrays_and_tensors(kind):
    columns = [kind(column) for column in ([0, 0, 1, 1], [0, 1, 1, 1], [0, 1, 0, 1])]
    assert protofair.equalized_odds(columns[0], columns[1], sensitive=columns[2]) == pytest.approx(50)


def test_an_empty_cell_is_nan_with_a_warning_that_names_it():
    with pytest.warns(UserWarning, match="no image has target 1 and sensitive value 7: EO is NaN"):
        assert np.isnan(equalized_odds([0, 0, 1], [0, 0, 1], sensitive=[5, 7, 5]))


@pytest.mark.parametrize(("target", "sensitive"), [([1, 1], [0, 1]), ([0, 1], [3, 3])])
def test_a_single_class_or_group_is_nan_not_a_perfect_zero(target, sensitive):
    with pytest.warns(UserWarning, match="EO needs two classes and two groups"):
        assert np.isnan(equalized_odds(target, target, sensitive=sensitive))


def test_a_predicted_class_without_images_is_an_empty_cell():
    with pytest.warns(UserWarning, match="target 2"):
        assert np.isnan(equalized_odds([0, 1, 0, 1], [0, 1, 2, 1], sensitive=[0, 0, 1, 1]))


def test_full_cells_give_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        equalized_odds([0, 1, 0, 1], [0, 1, 1, 1], sensitive=[0, 0, 1, 1])


@pytest.mark.parametrize(
    ("target", "prediction", "sensitive", "message"),
    [
        ([0, 1], [0, 1, 1], [0, 1], "2, 3, 2 entries"),
        ([[0, 1]], [0, 1], [0, 1], "target must be one-dimensional"),
        ([], [], [], "not empty"),
        ([0, 1], [0.2, 0.9], [0, 1], "not scores"),
        ([0, 1], [0, float("nan")], [0, 1], "prediction must hold class labels"),
    ],
)
def test_wrong_input_is_a_value_error_that_says_what_was_expected(target, prediction, sensitive, message):
    with pytest.raises(ValueError, match=message):
        equalized_odds(target, prediction, sensitive=sensitive)


@few
@given(labelled())
def test_accuracies_are_scikit_learns(sample):
    target, prediction, sensitive, *_ = sample
    counts = counts_of(sample)
    assert metrics.accuracy(counts) == pytest.approx(100 * accuracy_score(target, prediction))
    assert metrics.balanced_accuracy(counts) == pytest.approx(100 * balanced_accuracy_score(target, prediction))
    by_group = MetricFrame(metrics=accuracy_score, y_true=target, y_pred=prediction, sensitive_features=sensitive)
    np.testing.assert_allclose(metrics.group_accuracy(counts), 100 * by_group.by_group)
    assert metrics.majority_rate(counts) == pytest.approx(100 * np.bincount(target).max() / len(target))


@settings(few, max_examples=8)
@given(labelled(most_classes=3))
def test_rates_of_each_group_are_fairlearns_one_against_the_rest(sample):
    target, prediction, sensitive, num_classes, _ = sample
    counts = counts_of(sample)
    for c in range(num_classes):
        frame = MetricFrame(
            metrics={"tpr": true_positive_rate, "fpr": false_positive_rate},
            y_true=target == c,
            y_pred=prediction == c,
            sensitive_features=sensitive,
        )
        np.testing.assert_allclose(metrics.true_positive_rate(counts)[c], 100 * frame.by_group["tpr"])
        np.testing.assert_allclose(metrics.false_positive_rate(counts)[c], 100 * frame.by_group["fpr"])


def test_each_metric_treats_leading_dimensions_one_by_one():
    counts = np.random.default_rng(0).integers(1, 9, size=(5, 3, 2, 3)).astype(float)
    for metric in (
        metrics.odds_difference,
        metrics.accuracy,
        metrics.group_accuracy,
        metrics.balanced_accuracy,
        metrics.majority_rate,
        metrics.true_positive_rate,
        metrics.false_positive_rate,
    ):
        np.testing.assert_allclose(metric(counts), np.stack([metric(one) for one in counts]))


def test_a_class_without_images_has_no_balanced_accuracy_and_no_true_positive_rate():
    counts = np.array([[[3.0, 1.0]], [[0.0, 0.0]]])
    assert np.isnan(metrics.balanced_accuracy(counts))
    np.testing.assert_array_equal(np.isnan(metrics.true_positive_rate(counts)), [[False], [True]])
    assert metrics.accuracy(counts) == 75
