import numpy as np
import pytest
import torch
from sklearn.neighbors import NearestNeighbors

from protofair.probe import mixing
from protofair.probe.mixing import Mixing, nearest_neighbours


def score(points, sensitive, *, neighbours, weights=None):
    nearest = nearest_neighbours(points, neighbours=neighbours, metric="euclidean")
    weights = np.ones((1, len(points))) if weights is None else weights
    return Mixing(nearest, sensitive=sensitive)(weights)["mixing"]


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
@pytest.mark.parametrize("block", [7, 512])
def test_neighbours_are_scikit_learns(metric, block, monkeypatch):
    monkeypatch.setattr(mixing, "BLOCK", block)
    points = torch.randn(90, 5, generator=torch.Generator().manual_seed(0)) + 2
    found = nearest_neighbours(points, neighbours=6, metric=metric)
    oracle = NearestNeighbors(n_neighbors=6, metric=metric).fit(points.numpy())
    expected = oracle.kneighbors(return_distance=False)
    np.testing.assert_array_equal(np.sort(found.numpy()), np.sort(expected))


def test_a_point_is_not_its_own_neighbour_even_among_equals():
    nearest = nearest_neighbours(torch.ones(4, 2), neighbours=3, metric="euclidean")
    for row, found in enumerate(nearest.tolist()):
        assert sorted(found) == [other for other in range(4) if other != row]


def test_groups_apart_score_zero():
    points = torch.tensor([[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]])
    assert score(points, np.array([0, 0, 0, 1, 1, 1]), neighbours=2) == 0


def test_by_hand():
    # On a line at 0, 1, 3, 7 with groups a b b a the nearest are at 1, 0, 1, 3: three of four are of the other group;
    # by chance it would be two of three.
    points = torch.tensor([[0.0], [1.0], [3.0], [7.0]])
    np.testing.assert_allclose(score(points, np.array([0, 1, 1, 0]), neighbours=1), (3 / 4) / (2 / 3))


@pytest.mark.parametrize("shares", [[0.5, 0.5], [0.9, 0.1], [0.6, 0.3, 0.1]])
def test_random_groups_score_one_whatever_their_sizes(shares):
    random = np.random.default_rng(0)
    points = torch.from_numpy(random.normal(size=(3000, 4)))
    sensitive = random.choice(len(shares), size=3000, p=shares)
    np.testing.assert_allclose(score(points, sensitive, neighbours=20), 1, atol=0.03)


def test_all_points_as_neighbours_score_exactly_one():
    random = np.random.default_rng(1)
    points = torch.from_numpy(random.normal(size=(50, 2)))
    np.testing.assert_allclose(score(points, random.integers(0, 3, 50), neighbours=49), 1)


def test_weights_choose_the_points_asked():
    points = torch.tensor([[0.0], [1.0], [3.0], [7.0]])
    sensitive = np.array([0, 1, 1, 0])
    only_third = np.array([[0.0, 0, 2, 0]])
    assert score(points, sensitive, neighbours=1, weights=only_third) == 0


def test_a_single_group_has_no_score():
    assert np.isnan(score(torch.randn(5, 2), np.zeros(5, dtype=np.int64), neighbours=2)).all()


def test_more_neighbours_than_points_are_refused():
    with pytest.raises(ValueError, match="between 1 and 4 neighbours for 5 points, got 5"):
        nearest_neighbours(torch.randn(5, 2), neighbours=5, metric="cosine")
