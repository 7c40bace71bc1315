import math

import pytest
import torch
from pytorch_metric_learning.losses import SupConLoss

from protofair.objectives.supcon import supcon_loss


def reference(z, target, tau):
    total = 0.0
    for i in range(len(z)):
        positives = [j for j in range(len(z)) if j != i and target[j] == target[i]]
        log_denominator = math.log(sum(math.exp(float(z[i] @ z[k]) / tau) for k in range(len(z)) if k != i))
        for j in positives:
            total -= tau / 0.07 * (float(z[i] @ z[j]) / tau - log_denominator) / len(positives)
    return total / len(z)


def test_golden_value(golden):
    loss = supcon_loss(golden.z, target=golden.target, temperature=0.1)
    assert loss.item() == pytest.approx(16.369148, abs=1e-5)


def test_by_hand(at_angles):
    # Two images at 0 and 90 degrees, of different targets, each seen twice in the same place: s = 1, 0 or 0 at tau 1,
    # so that each anchor has -(1 / 0.07) (1 - log(e + 2)).
    loss = supcon_loss(at_angles(0, 90, 0, 90), target=torch.tensor([0, 1, 0, 1]), temperature=1.0)
    assert loss.item() == pytest.approx((math.log(math.e + 2) - 1) / 0.07, rel=1e-6)


def test_against_loops(random_features):
    z, target, _ = random_features
    loss = supcon_loss(z, target=target, temperature=0.1)
    assert loss.item() == pytest.approx(reference(z.double(), target, 0.1), rel=1e-5)


def test_against_pytorch_metric_learning(random_features):
    z, target, _ = random_features
    ours, theirs = z.clone().requires_grad_(), z.clone().requires_grad_()
    loss = supcon_loss(ours, target=target, temperature=0.1)
    oracle = 0.1 / 0.07 * SupConLoss(temperature=0.1)(theirs, target)
    torch.testing.assert_close(loss, oracle)
    loss.backward()
    oracle.backward()
    # The oracle normalises once more, which projects its gradient onto the tangent of the sphere.
    tangent = ours.grad - (ours.grad * z).sum(dim=1, keepdim=True) * z
    torch.testing.assert_close(tangent, theirs.grad, rtol=1e-4, atol=1e-5)


def test_order_does_not_matter(random_features):
    z, target, _ = random_features
    order = torch.randperm(18, generator=torch.Generator().manual_seed(0))
    shuffled = supcon_loss(z[order], target=target[order], temperature=0.1)
    torch.testing.assert_close(shuffled, supcon_loss(z, target=target, temperature=0.1))


def test_an_anchor_without_positives_adds_nothing(at_angles):
    z = at_angles(0, 60, 180).requires_grad_()
    loss = supcon_loss(z, target=torch.tensor([0, 0, 1]), temperature=1.0)
    loss.backward()
    assert loss.item() == pytest.approx(reference(z.detach().double(), [0, 0, 1], 1.0), rel=1e-5)
    assert z.grad.isfinite().all()
