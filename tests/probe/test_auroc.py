import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from protofair.probe.auroc import Auroc


def everyone(n):
    return np.ones(n, dtype=bool)


@settings(deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(-3, 3), st.integers(0, 4)), min_size=2, max_size=40))
def test_weighted_and_tied_scores_agree_with_scikit_learn(rows):
    positive, score, weight = (np.array(column) for column in zip(*rows, strict=True))
    area = Auroc(positive, score.astype(float), among=everyone(len(rows)))(weight[None].astype(float))
    if weight[positive].sum() == 0 or weight[~positive].sum() == 0:
        assert np.isnan(area[0])
    else:
        assert area[0] == pytest.approx(roc_auc_score(positive, score, sample_weight=weight))


def test_by_hand():
    # Positives at 2 and 1, negatives at 1 and 0: three pairs are won and one is tied.
    positive = np.array([True, True, False, False])
    auroc = Auroc(positive, np.array([2.0, 1.0, 1.0, 0.0]), among=everyone(4))
    np.testing.assert_allclose(auroc(np.ones((1, 4))), 3.5 / 4)
    # The tied positive drawn three times, the winning one once: (2 + 3 * 1.5) / 8.
    np.testing.assert_allclose(auroc(np.array([[1.0, 3, 1, 1]])), 6.5 / 8)


def test_samples_left_out_do_not_count():
    random = np.random.default_rng(0)
    positive, score, among = random.random(60) < 0.4, random.normal(size=60), random.random(60) < 0.5
    area = Auroc(positive, score, among=among)(np.ones((1, 60)))[0]
    assert area == pytest.approx(roc_auc_score(positive[among], score[among]))
    assert area != pytest.approx(roc_auc_score(positive, score))


@pytest.mark.parametrize("positive", [True, False])
def test_one_class_alone_has_no_auroc(positive):
    assert np.isnan(Auroc(np.full(3, positive), np.arange(3.0), among=everyone(3))(np.ones((1, 3)))).all()
