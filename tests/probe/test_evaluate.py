import warnings

import numpy as np
import pytest
import torch
from sklearn.metrics import accuracy_score, balanced_accuracy_score, roc_auc_score

from protofair.probe.evaluate import Answers, evaluate
from protofair.probe.metrics import equalized_odds
from protofair.probe.mixing import Mixing, nearest_neighbours


def measure(target, sensitive, **options):
    points = torch.from_numpy(np.random.default_rng(9).normal(size=(len(target.label), 3)))
    nearest = nearest_neighbours(points, neighbours=5, metric="euclidean")
    mixing = Mixing(nearest, sensitive=sensitive.label)
    return evaluate(target, sensitive, mixing=mixing, **{"resamples": 40, "seed": 0, "name": "t/s, test", **options})


def answers(random, label, *, values=(0, 1), noise=1.0):
    """Scores that follow the label, with noise."""
    if len(values) == 2:
        return Answers(values, label, (label - 0.5 + noise * random.normal(size=len(label)))[:, None])
    score = torch.from_numpy(np.eye(len(values))[label] + noise * random.normal(size=(len(label), len(values))))
    return Answers(values, label, score.log_softmax(1).numpy())


@pytest.fixture
def random():
    return np.random.default_rng(0)


def test_binary_task_against_scikit_learn(random):
    target, sensitive = (answers(random, random.integers(0, 2, 200)) for _ in range(2))
    found = measure(target, sensitive)
    y, p, s, score = target.label, target.prediction, sensitive.label, target.score[:, 0]
    by_group = [roc_auc_score(y[s == g], score[s == g]) for g in (0, 1)]
    expected = {
        "accuracy": 100 * accuracy_score(y, p),
        "balanced_accuracy": 100 * balanced_accuracy_score(y, p),
        "majority_rate": 100 * max(y.mean(), 1 - y.mean()),
        "auroc": roc_auc_score(y, score),
        "auroc_gap": abs(by_group[0] - by_group[1]),
        "equalized_odds": equalized_odds(y, p, sensitive=s),
    }
    for name, value in expected.items():
        assert found[name]["value"] == pytest.approx(value, abs=1e-5), name
        assert found[name]["low"] < found[name]["high"], name
    assert found["count"] == 200
    for g in (0, 1):
        group = found["groups"][str(g)]
        positive, negative = (s == g) & (y == 1), (s == g) & (y == 0)
        assert group["count"] == (s == g).sum()
        assert group["accuracy"]["value"] == pytest.approx(100 * np.mean(p[s == g] == y[s == g]), abs=1e-5)
        assert group["auroc"]["value"] == pytest.approx(by_group[g], abs=1e-5)
        assert group["tpr"] == {"1": group["tpr"]["1"]}
        assert group["tpr"]["1"]["value"] == pytest.approx(100 * p[positive].mean(), abs=1e-5)
        assert group["fpr"]["1"]["value"] == pytest.approx(100 * p[negative].mean(), abs=1e-5)
        for c in (0, 1):
            assert found["counts"][str(c)][str(g)] == ((y == c) & (s == g)).sum()
    accuracy = 100 * np.mean(sensitive.prediction == sensitive.label)
    assert found["sensitive"]["accuracy"]["value"] == pytest.approx(accuracy, abs=1e-5)
    assert 0.5 < found["mixing"]["value"] < 1.5


def test_more_classes_and_groups_against_scikit_learn(random):
    target = answers(random, random.integers(0, 3, 300), values=(0, 1, 4), noise=0.5)
    sensitive = answers(random, random.integers(0, 3, 300), values=(2, 3, 7), noise=0.5)
    found = measure(target, sensitive)
    probability = np.exp(target.score)
    expected = roc_auc_score(target.label, probability / probability.sum(1, keepdims=True), multi_class="ovr")
    assert found["auroc"]["value"] == pytest.approx(expected, abs=1e-5)
    eo = equalized_odds(target.label, target.prediction, sensitive=sensitive.label)
    assert found["equalized_odds"]["value"] == pytest.approx(eo, abs=1e-5)
    assert list(found["groups"]) == ["2", "3", "7"]
    assert list(found["groups"]["7"]["tpr"]) == ["0", "1", "4"]
    of_group = sensitive.label == 2
    wrong = np.mean(target.prediction[of_group & (target.label != 1)] == 1)
    assert found["groups"]["7"]["fpr"]["1"]["value"] == pytest.approx(100 * wrong, abs=1e-5)
    aurocs = [group["auroc"]["value"] for group in found["groups"].values()]
    assert found["auroc_gap"]["value"] == pytest.approx(max(aurocs) - min(aurocs), abs=2e-6)


def test_a_probe_that_predicts_one_class_is_flagged_although_its_eo_is_zero(random):
    label = (random.random(200) < 0.3).astype(np.int64)
    constant = Answers((0, 1), label, np.full((200, 1), -1.0))
    found = measure(constant, answers(random, random.integers(0, 2, 200), noise=0.1))
    assert found["equalized_odds"]["value"] == 0
    assert found["predicts_one_class"]
    assert found["at_majority_rate"]
    assert found["balanced_accuracy"]["value"] == 50
    assert not found["sensitive"]["predicts_one_class"]
    assert not found["sensitive"]["at_majority_rate"]


@pytest.mark.parametrize(("right", "flagged"), [(71, True), (76, True), (95, False)])
def test_an_accuracy_that_could_be_the_majority_rate_is_flagged(random, right, flagged):
    # 100 images, 72 of class 0: an interval of accuracy is about 9 points to each side.
    label = np.array([0] * 72 + [1] * 28)
    prediction = np.where(np.arange(100) % 100 < right, label, 1 - label)
    target = Answers((0, 1), label, prediction[:, None] - 0.5)
    found = measure(target, answers(random, random.integers(0, 2, 100)))
    assert found["accuracy"]["value"] == right
    assert found["at_majority_rate"] is flagged
    assert not found["predicts_one_class"]


def test_an_empty_cell_is_nan_and_the_warning_names_task_and_cell(random):
    label = np.array([0, 1] * 20)
    sensitive = np.where(label == 1, 0, np.arange(40) % 4 // 2)
    with pytest.warns(UserWarning, match="t/s, test: no image has target 1 and sensitive value 5"):
        found = measure(answers(random, label), answers(random, sensitive, values=(3, 5)))
    assert np.isnan(list(found["equalized_odds"].values())).all()
    assert np.isnan(found["groups"]["5"]["tpr"]["1"]["value"])
    assert np.isnan(found["auroc_gap"]["value"])
    assert found["counts"]["1"]["5"] == 0
    assert found["accuracy"]["value"] > 50


def test_full_cells_give_no_warning(random):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        measure(*(answers(random, random.integers(0, 2, 100)) for _ in range(2)))
