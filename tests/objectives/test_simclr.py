import math

import pytest
import torch
from lightly.loss import NTXentLoss
from pytorch_metric_learning.losses import NTXentLoss as MetricLearningNTXentLoss

from protofair.objectives.simclr import simclr_loss


def reference(z, tau):
    n, total = len(z), 0.0
    for i in range(n):
        j = (i + n // 2) % n
        denominator = sum(math.exp(float(z[i] @ z[k]) / tau) for k in range(n) if k != i)
        total -= tau / 0.07 * (float(z[i] @ z[j]) / tau - math.log(denominator))
    return total / n


def test_golden_value(golden):
    assert simclr_loss(golden.z, temperature=0.1).item() == pytest.approx(0.972881, abs=1e-5)


def test_by_hand(at_angles):
    # Images at 0 and 180 degrees; the second view of each is 90 degrees further. At tau 1 the first view of the first
    # image, at 0, has its positive at 90 (s = 0) and the others at 180 (s = -1) and 270 (s = 0); all rows are alike.
    loss = simclr_loss(at_angles(0, 180, 90, 270), temperature=1.0)
    assert loss.item() == pytest.approx(math.log(2 + math.exp(-1)) / 0.07, rel=1e-6)


def test_against_loops(random_features):
    z = random_features.z
    assert simclr_loss(z, temperature=0.1).item() == pytest.approx(reference(z.double(), 0.1), rel=1e-5)


def test_against_lightly(random_features):
    z = random_features.z
    oracle = NTXentLoss(temperature=0.1)(z[:9], z[9:])
    torch.testing.assert_close(simclr_loss(z, temperature=0.1), 0.1 / 0.07 * oracle)


def test_against_pytorch_metric_learning(random_features):
    z = random_features.z
    oracle = MetricLearningNTXentLoss(temperature=0.1)(z, torch.arange(9).repeat(2))
    torch.testing.assert_close(simclr_loss(z, temperature=0.1), 0.1 / 0.07 * oracle)


def test_gradient_reaches_every_row(random_features):
    z = random_features.z.requires_grad_()
    simclr_loss(z, temperature=0.1).backward()
    assert z.grad.isfinite().all()
    assert (z.grad.abs().sum(dim=1) > 0).all()


def test_one_image_alone_costs_nothing(at_angles):
    # Its other view is the whole denominator.
    assert simclr_loss(at_angles(0, 50), temperature=0.1).item() == pytest.approx(0, abs=1e-6)
