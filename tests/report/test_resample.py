"""Resampled metrics against the plain definition on rows that are repeated as often as they were drawn."""

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from protofair.probe.bootstrap import resample_weights
from protofair.probe.metrics import equalized_odds
from protofair.report.collect import Answers
from protofair.report.resample import AREA_RESAMPLES, RESAMPLES, SEED, resampled, resampling_weights

ROWS = 300


def answers(seed: int, *, classes: int = 2, groups: int = 2, noise: float = 1.0) -> Answers:
    truth = np.random.default_rng(0)
    label, sensitive = truth.integers(classes, size=ROWS), truth.integers(groups, size=ROWS)
    random = np.random.default_rng(seed)
    prediction = np.where(random.random(ROWS) < 0.6 + 0.1 * sensitive, label, random.integers(classes, size=ROWS))
    score = (2 * label - 1 + noise * random.standard_normal(ROWS))[:, None]
    if classes > 2:
        score = np.eye(classes)[label] + noise * random.standard_normal((ROWS, classes))
    guess = np.where(random.random(ROWS) < 0.8, sensitive, 0)
    labels = (array.astype(np.uint8) for array in (label, prediction))
    return Answers(*labels, score.astype(np.float32), sensitive.astype(np.uint8), guess.astype(np.uint8))


def drawn(resample: int) -> np.ndarray:
    """The rows of a resample."""
    weights = np.concatenate(list(resample_weights(ROWS, resamples=RESAMPLES, seed=SEED)))[resample]
    return np.repeat(np.arange(ROWS), weights.astype(int))


@pytest.mark.parametrize(("classes", "groups"), [(2, 2), (3, 2), (2, 3), (4, 3)])
def test_metrics_from_counts_are_those_of_the_rows_drawn(classes, groups):
    runs = [answers(seed, classes=classes, groups=groups) for seed in (1, 2)]
    for run, found in zip(runs, resampled("equalized_odds", runs), strict=True):
        for rows, part in ((np.arange(ROWS), None), (drawn(0), 0), (drawn(999), 999)):
            y, p, s = run.label[rows], run.prediction[rows], run.sensitive[rows]
            wanted = {
                "equalized_odds": equalized_odds(y, p, sensitive=s),
                "accuracy": 100 * np.mean(y == p),
                "balanced_accuracy": 100 * balanced_accuracy_score(y, p),
            }
            for name, value in wanted.items():
                assert (found[name].value if part is None else found[name].resampled[part]) == pytest.approx(value)


def test_the_sensitive_probe_is_measured_on_the_sensitive_attribute():
    run = answers(1)
    found = resampled("sensitive.accuracy", [run])[0]["sensitive.accuracy"]
    rows = drawn(5)
    assert found.value == pytest.approx(100 * np.mean(run.sensitive == run.sensitive_prediction))
    assert found.resampled[5] == pytest.approx(100 * np.mean((run.sensitive == run.sensitive_prediction)[rows]))


def test_auroc_and_its_gap_are_sklearns():
    run = answers(3, noise=2.0)
    found = resampled("auroc_gap", [run])[0]
    for rows, part in ((np.arange(ROWS), None), (drawn(7), 7), (drawn(AREA_RESAMPLES - 1), AREA_RESAMPLES - 1)):
        y, score, s = run.label[rows], run.score[rows, 0], run.sensitive[rows]
        areas = [roc_auc_score(y[s == group], score[s == group]) for group in (0, 1)]
        wanted = {"auroc": roc_auc_score(y, score), "auroc_gap": abs(areas[0] - areas[1])}
        for name, value in wanted.items():
            assert (found[name].value if part is None else found[name].resampled[part]) == pytest.approx(value)


def test_auroc_of_several_classes_is_the_mean_over_them():
    run = answers(3, classes=3)
    wanted = np.mean([roc_auc_score(run.label == c, run.score[:, c]) for c in range(3)])
    assert resampled("auroc", [run])[0]["auroc"].value == pytest.approx(wanted)


def test_equal_runs_do_not_differ_on_any_resample():
    first, second = (resampled("equalized_odds", [answers(4)])[0]["equalized_odds"] for _ in range(2))
    assert not first.minus(second).resampled.any()


def test_pairing_is_narrower_than_two_resamplings():
    """Two runs that err on nearly the same images."""
    run = answers(5)
    other = run.prediction.copy()
    other[:5] = 1 - other[:5]
    changed = Answers(run.label, other, run.score, run.sensitive, run.sensitive_prediction)
    first, second = (found["accuracy"] for found in resampled("accuracy", [run, changed]))
    paired = np.std(first.minus(second).resampled)
    assert paired < 0.5 * np.std(first.resampled)


def test_the_test_set_itself_is_the_first_line_of_weights():
    weights = resampling_weights(50)
    assert weights.shape == (1 + RESAMPLES, 50)
    assert (weights[0] == 1).all()
    assert (weights.sum(axis=1) == 50).all()
