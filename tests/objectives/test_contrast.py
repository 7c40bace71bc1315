import math

import pytest
import torch

from protofair.objectives.contrast import averaged, other_view, others, pair_loss, same


def test_pairs(at_angles):
    z = at_angles(0, 90, 180, 270)
    assert others(z).tolist() == [[i != j for j in range(4)] for i in range(4)]
    assert other_view(z).tolist() == [[abs(i - j) == 2 for j in range(4)] for i in range(4)]
    assert same(torch.tensor([3, 5, 3])).tolist() == [[True, False, True], [False, True, False], [True, False, True]]


def test_averaging_leaves_an_anchor_without_positives_at_zero():
    positives = torch.tensor([[False, True, True], [False, False, False], [True, False, False]])
    assert averaged(positives).tolist() == [[0, 0.5, 0.5], [0, 0, 0], [1, 0, 0]]


def test_without_positives_the_loss_is_zero_with_a_graph(random_features):
    z = random_features.z.requires_grad_()
    loss = pair_loss(z, weights=torch.zeros(18, 18), denominator=others(z), temperature=0.1)
    loss.backward()
    assert loss.item() == 0
    assert torch.equal(z.grad, torch.zeros_like(z))


def test_log_of_an_empty_denominator_counts_as_zero(at_angles):
    # Similarities are taken relative to the row's maximum, which is that of the anchor with itself, 1 / tau.
    z = at_angles(0, 60).requires_grad_()
    loss = pair_loss(z, weights=others(z).float(), denominator=torch.zeros(2, 2, dtype=torch.bool), temperature=0.5)
    loss.backward()
    assert loss.item() == pytest.approx(0.5 / 0.07 * (1 - math.cos(math.pi / 3)) / 0.5)
    assert z.grad.isfinite().all()


def test_one_empty_denominator_leaves_the_other_rows_gradient_finite(random_features):
    z = random_features.z.requires_grad_()
    denominator = others(z)
    denominator[3] = False
    pair_loss(z, weights=averaged(others(z)), denominator=denominator, temperature=0.1).backward()
    assert z.grad.isfinite().all()
    assert (z.grad.abs().sum(dim=1) > 0).all()


def test_extreme_temperatures_stay_finite(random_features):
    z = random_features.z.requires_grad_()
    loss = pair_loss(z, weights=averaged(others(z)), denominator=others(z), temperature=1e-4)
    loss.backward()
    assert loss.isfinite()
    assert z.grad.isfinite().all()


def test_autocast_changes_nothing(random_features):
    z = random_features.z
    arguments = {"weights": averaged(other_view(z)), "denominator": others(z), "temperature": 0.1}
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = pair_loss(z, **arguments)
    assert loss.dtype == torch.float32
    assert torch.equal(loss, pair_loss(z, **arguments))
