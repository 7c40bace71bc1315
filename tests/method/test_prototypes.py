import math

import pytest
import torch
import torch.nn.functional as F

from protofair.method.prototypes import assign, membership, momentum_update


def test_assignment_is_the_nearest_by_cosine():
    prototypes = torch.tensor([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    features = F.normalize(torch.tensor([[3.0, 1.0], [1.0, 3.0], [-3.0, 1.0], [0.0, -1.0]]), dim=1)
    assert assign(features, prototypes).tolist()[:3] == [0, 1, 2]


def test_membership_is_one_hot():
    assert membership(torch.tensor([2, 0]), 3).tolist() == [[False, False, True], [True, False, False]]


def test_update_by_hand():
    """m = 0.5, c = (1, 0), samples (0, 1) and (0, 1): 0.5 (1, 0) + 0.5 (0, 1), normalised: 45 degrees."""
    prototypes = torch.tensor([[1.0, 0.0], [0.0, -1.0]])
    features = torch.tensor([[0.0, 1.0], [0.0, 1.0]])
    moved = momentum_update(prototypes, features, torch.tensor([0, 0]), momentum=0.5)
    assert moved[0].tolist() == pytest.approx([math.sqrt(0.5), math.sqrt(0.5)])


def test_the_mean_is_over_the_samples_of_the_cluster():
    """m = 0.5, c = (1, 0), samples (1, 0) and (0, 1) have the mean (0.5, 0.5): (0.75, 0.25) normalised."""
    moved = momentum_update(torch.tensor([[1.0, 0.0]]), torch.eye(2), torch.tensor([0, 0]), momentum=0.5)
    assert moved[0].tolist() == pytest.approx([0.75 / math.hypot(0.75, 0.25), 0.25 / math.hypot(0.75, 0.25)])


def test_a_prototype_without_a_sample_stays_bit_identical():
    generator = torch.Generator().manual_seed(0)
    prototypes = F.normalize(torch.randn(4, 5, generator=generator), dim=1)
    features = F.normalize(torch.randn(6, 5, generator=generator), dim=1)
    moved = momentum_update(prototypes, features, torch.tensor([0, 0, 2, 2, 2, 0]), momentum=0.9)
    assert torch.equal(moved[[1, 3]], prototypes[[1, 3]])
    assert not torch.equal(moved[0], prototypes[0])
    assert not torch.equal(moved[2], prototypes[2])


def test_update_equals_the_loops():
    generator = torch.Generator().manual_seed(3)
    prototypes = F.normalize(torch.randn(4, 5, dtype=torch.float64, generator=generator), dim=1)
    features = F.normalize(torch.randn(30, 5, dtype=torch.float64, generator=generator), dim=1)
    clusters = assign(features, prototypes)
    moved = momentum_update(prototypes, features, clusters, momentum=0.9)
    for k in range(4):
        own = [features[i] for i in range(30) if clusters[i] == k]
        assert own, "every cluster has a sample here"
        c = 0.9 * prototypes[k] + 0.1 * sum(own) / len(own)
        assert torch.allclose(moved[k], c / c.norm(), rtol=1e-12)
