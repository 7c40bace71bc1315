import numpy as np
import pytest
from sklearn.metrics import accuracy_score, balanced_accuracy_score, roc_auc_score

from protofair.probe import bootstrap, metrics
from protofair.probe.bootstrap import estimate, resample_weights
from protofair.probe.evaluate import Answers, ByGroup, Overall
from protofair.probe.metrics import equalized_odds


def draw(random, n):
    """Predictions of a binary target in two groups, with unequal error rates and many tied scores."""
    sensitive = (random.random(n) < 0.4).astype(np.int64)
    label = (random.random(n) < 0.3 + 0.3 * sensitive).astype(np.int64)
    score = np.round(label - 0.5 + 0.4 * sensitive + random.normal(size=n), 1)
    return Answers(class_values=(0, 1), label=label, score=score[:, None]), sensitive


@pytest.mark.parametrize("block", [10, 200, 10_000])
def test_weights_are_those_of_drawing_rows_with_replacement(block, monkeypatch):
    monkeypatch.setattr(bootstrap, "BLOCK", block)
    blocks = list(resample_weights(40, resamples=13, seed=5))
    assert [len(weights) for weights in blocks] == {10: [1] * 13, 200: [5, 5, 3], 10_000: [13]}[block]
    weights = np.concatenate(blocks)
    assert weights.shape == (13, 40)
    np.testing.assert_array_equal(weights.sum(axis=1), 40)
    random = np.random.default_rng(5)
    for row in weights:
        np.testing.assert_array_equal(row, np.bincount(random.integers(40, size=40), minlength=40))


def test_each_resample_drew_its_own_rows():
    weights = np.concatenate(list(resample_weights(50, resamples=200, seed=0)))
    assert len(np.unique(weights, axis=0)) == 200
    # A weight is binomial(n, 1/n): mean 1, variance 1 - 1/n.
    assert weights.var() == pytest.approx(1 - 1 / 50, abs=0.03)


def test_intervals_are_those_of_a_loop_over_the_same_resamples():
    answers, sensitive = draw(np.random.default_rng(0), 300)
    statistics = {"all": Overall(answers), "groups": ByGroup(answers, sensitive=sensitive, num_groups=2)}
    found = estimate(statistics, rows=300, resamples=60, seed=3)

    naive = {"accuracy": [], "balanced_accuracy": [], "auroc": [], "equalized_odds": [], "auroc_gap": []}
    random = np.random.default_rng(3)
    for _ in range(60):
        rows = random.integers(300, size=300)
        y, p, score, s = answers.label[rows], answers.prediction[rows], answers.score[rows, 0], sensitive[rows]
        naive["accuracy"].append(100 * accuracy_score(y, p))
        naive["balanced_accuracy"].append(100 * balanced_accuracy_score(y, p))
        naive["auroc"].append(roc_auc_score(y, score))
        naive["equalized_odds"].append(equalized_odds(y, p, sensitive=s))
        naive["auroc_gap"].append(abs(np.subtract(*(roc_auc_score(y[s == g], score[s == g]) for g in (0, 1)))))

    estimates = {**found["all"], **found["groups"]}
    for name, values in naive.items():
        np.testing.assert_allclose(
            [estimates[name].low, estimates[name].high], np.percentile(values, [2.5, 97.5]), err_msg=name
        )


def test_intervals_cover_the_truth_as_often_as_they_say():
    # Accuracy on the four cells (y, s) of equal chance: EO is the mean of |0.9 - 0.7| and |0.8 - 0.5|.
    right = np.array([[0.9, 0.7], [0.8, 0.5]])
    truth = {"accuracy": 72.5, "equalized_odds": 25.0, "balanced_accuracy": 72.5}
    covered = dict.fromkeys(truth, 0)
    random = np.random.default_rng(0)
    runs, rows = 600, 400
    for seed in range(runs):
        label, sensitive = random.integers(0, 2, size=(2, rows))
        prediction = np.where(random.random(rows) < right[label, sensitive], label, 1 - label)
        cells = np.eye(8)[metrics.cell_numbers(label, prediction, sensitive, num_classes=2, num_groups=2)]

        def statistic(weights, cells=cells):
            counts = (weights @ cells).reshape(-1, 2, 2, 2)
            return {
                "accuracy": metrics.accuracy(counts),
                "equalized_odds": metrics.odds_difference(counts),
                "balanced_accuracy": metrics.balanced_accuracy(counts),
            }

        for name, (_, low, high) in estimate({"": statistic}, rows=rows, resamples=200, seed=seed)[""].items():
            covered[name] += bool(low <= truth[name] <= high)
    # With 200 resamples about 94.3 % should be covered; over 600 runs the standard deviation is 0.95 %; 3 are allowed.
    for name, count in covered.items():
        assert 0.915 <= count / runs <= 0.972, name


def test_the_value_lies_on_all_rows_once():
    answers, sensitive = draw(np.random.default_rng(1), 200)
    found = estimate({"groups": ByGroup(answers, sensitive=sensitive, num_groups=2)}, rows=200, resamples=20, seed=0)
    expected = equalized_odds(answers.label, answers.prediction, sensitive=sensitive)
    assert found["groups"]["equalized_odds"].value == pytest.approx(expected)


def test_the_same_seed_gives_the_same_interval_and_another_seed_another():
    answers, _ = draw(np.random.default_rng(2), 200)

    def interval(seed):
        return estimate({"all": Overall(answers)}, rows=200, resamples=50, seed=seed)["all"]["auroc"]

    assert interval(0) == interval(0)
    assert interval(0) != interval(1)


def test_an_undefined_value_has_no_interval_and_a_rare_cell_keeps_one():
    label = np.array([0, 1] * 20 + [0])
    sensitive = np.array([0] * 40 + [1])
    answers = Answers(class_values=(0, 1), label=label, score=label[:, None] - 0.5)
    empty = estimate({"g": ByGroup(answers, sensitive=sensitive, num_groups=2)}, rows=41, resamples=50, seed=0)["g"]
    assert np.isnan(empty["equalized_odds"]).all()
    # The single image of class 1 in group 1 is missing from a third of the resamples: the others give the interval.
    rare = Answers(class_values=(0, 1), label=np.append(label, 1), score=np.append(label, 0)[:, None] - 0.5)
    groups = ByGroup(rare, sensitive=np.append(sensitive, 1), num_groups=2)
    assert not np.isnan(estimate({"g": groups}, rows=42, resamples=50, seed=0)["g"]["equalized_odds"]).any()
