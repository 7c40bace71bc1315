import math

import pytest
import torch

from protofair.objectives.fscl import (
    FSCLConfig,
    FSCLPlusConfig,
    FSCLStarConfig,
    fscl_loss,
    fscl_plus_loss,
    fscl_star_loss,
)
from protofair.objectives.simclr import simclr_loss


def log_ratios(z, i, denominator, tau):
    """Log-ratio of anchor i with each j; similarities relative to the anchor's own, as in FSCL's code."""
    s = [(float(z[i] @ z[j]) - float(z[i] @ z[i])) / tau for j in range(len(z))]
    log_denominator = math.log(sum(math.exp(s[k]) for k in denominator)) if denominator else 0.0
    return [s_ij - log_denominator for s_ij in s]


def reference(z, target, sensitive, tau, *, group_normalised):
    n, total = len(z), 0.0
    group = [
        [k for k in range(n) if k != j and (target[k], sensitive[k]) == (target[j], sensitive[j])] for j in range(n)
    ]
    for i in range(n):
        positives = [j for j in range(n) if j != i and target[j] == target[i]]
        denominator = [k for k in range(n) if target[k] != target[i] and sensitive[k] == sensitive[i]]
        ratios = log_ratios(z, i, denominator, tau)
        if group_normalised:
            inner = sum(ratios[j] / len(group[j]) for j in positives) * (n / 8) / (len(group[i]) + 1)
        else:
            inner = sum(ratios[j] for j in positives) / len(positives)
        total -= tau / 0.07 * inner
    return total / n


def reference_star(z, sensitive, tau):
    n, total = len(z), 0.0
    for i in range(n):
        denominator = [k for k in range(n) if k != i and sensitive[k] == sensitive[i]]
        total -= tau / 0.07 * log_ratios(z, i, denominator, tau)[(i + n // 2) % n]
    return total / n


def test_golden_values(golden):
    z, target, sensitive = golden
    both = {"target": target, "sensitive": sensitive, "temperature": 0.1}
    assert fscl_loss(z, **both).item() == pytest.approx(14.002658, abs=1e-5)
    assert fscl_plus_loss(z, **both).item() == pytest.approx(16.336433, abs=1e-5)
    assert fscl_star_loss(z, sensitive=sensitive, temperature=0.1).item() == pytest.approx(0.589730, abs=1e-5)


@pytest.mark.parametrize(("loss", "group_normalised"), [(fscl_loss, False), (fscl_plus_loss, True)])
def test_against_loops(random_features, loss, group_normalised):
    z, target, sensitive = random_features
    expected = reference(z.double(), target.tolist(), sensitive.tolist(), 0.1, group_normalised=group_normalised)
    assert loss(z, target=target, sensitive=sensitive, temperature=0.1).item() == pytest.approx(expected, rel=1e-5)


def test_star_against_loops(random_features):
    z, _, sensitive = random_features
    loss = fscl_star_loss(z, sensitive=sensitive, temperature=0.1)
    assert loss.item() == pytest.approx(reference_star(z.double(), sensitive.tolist(), 0.1), rel=1e-5)


def test_by_hand(at_angles):
    # Two images of one sensitive value and different targets, at 0 and 90 degrees, both views in the same place, tau 1:
    # the positive has s = 1, the denominator twice s = 0, so every anchor has -(1 / 0.07) (1 - log 2).
    z, target, sensitive = at_angles(0, 90, 0, 90), torch.tensor([0, 1, 0, 1]), torch.zeros(4, dtype=torch.long)
    each = (math.log(2) - 1) / 0.07
    both = {"target": target, "sensitive": sensitive, "temperature": 1.0}
    assert fscl_loss(z, **both).item() == pytest.approx(each, rel=1e-6)
    assert fscl_plus_loss(z, **both).item() == pytest.approx(each * (4 / 8) / 2, rel=1e-6)  # n_i = n_j = 1


def test_star_in_a_single_group_is_simclr(random_features):
    z = random_features.z
    one_group = torch.zeros(18, dtype=torch.long)
    torch.testing.assert_close(fscl_star_loss(z, sensitive=one_group, temperature=0.1), simclr_loss(z, temperature=0.1))


def test_one_target_only_has_no_denominator_and_still_a_gradient(random_features):
    z = random_features.z.requires_grad_()
    one_target = torch.zeros(18, dtype=torch.long)
    for loss in (fscl_loss, fscl_plus_loss):
        z.grad = None
        value = loss(z, target=one_target, sensitive=random_features.sensitive, temperature=0.1)
        value.backward()
        assert value.isfinite()
        assert z.grad.isfinite().all()
        assert (z.grad.abs().sum(dim=1) > 0).all()


@pytest.mark.parametrize("temperature", [0.1, 0.5])
@pytest.mark.parametrize(
    ("config", "loss", "roles"),
    [
        (FSCLConfig, fscl_loss, ("target", "sensitive")),
        (FSCLPlusConfig, fscl_plus_loss, ("target", "sensitive")),
        (FSCLStarConfig, fscl_star_loss, ("sensitive",)),
    ],
)
def test_the_objective_has_its_loss_on_z_and_the_labels_of_both_views(encoder, views, config, loss, roles, temperature):
    labels = {"target": torch.tensor([0, 1] * 6), "sensitive": torch.tensor([0, 0, 1, 1, 1, 0] * 2)}
    objective = config(**{role: role for role in roles}, temperature=temperature).build(encoder)
    output = objective(encoder, views, **labels)
    both = {role: torch.cat([labels[role]] * 2) for role in roles}
    assert output.loss == loss(output.z, **both, temperature=temperature)
