import pytest
import torch
from lightly.loss import BarlowTwinsLoss

from protofair.objectives.barlow_twins import (
    BarlowTwins,
    BarlowTwinsConfig,
    barlow_twins_terms,
    cross_correlation,
)


@pytest.fixture(params=[0, 1])
def pair(request):
    generator = torch.Generator().manual_seed(request.param)
    first = 3 * torch.randn(10, 4, generator=generator) + 1
    return first, first + torch.randn(10, 4, generator=generator)


def reference(first, second):
    """Correlation by three loops, over features i and j and images b."""
    n, d = first.shape
    deviations = []
    for view in (first, second):
        mean = [sum(view[b, i] for b in range(n)) / n for i in range(d)]
        variance = [sum((view[b, i] - mean[i]) ** 2 for b in range(n)) / n for i in range(d)]
        deviations.append([[(view[b, i] - mean[i]) / (variance[i] + 1e-5) ** 0.5 for i in range(d)] for b in range(n)])
    one, two = deviations
    return torch.tensor([[sum(one[b][i] * two[b][j] for b in range(n)) / n for j in range(d)] for i in range(d)])


def test_correlation_against_loops(pair):
    first, second = pair
    expected = reference(first.double(), second.double())
    torch.testing.assert_close(cross_correlation(first, second), expected.float(), rtol=1e-5, atol=1e-6)


def test_terms_by_hand():
    invariance, redundancy = barlow_twins_terms(torch.tensor([[0.5, 2.0], [-3.0, 1.0]]))
    assert invariance.item() == 0.25
    assert redundancy.item() == 13


def test_identical_uncorrelated_views_cost_nothing():
    z = torch.tensor([[1.0, 1], [1, -1], [-1, 1], [-1, -1]])
    invariance, redundancy = barlow_twins_terms(cross_correlation(z, z))
    assert invariance.item() == pytest.approx(0, abs=1e-8)
    assert redundancy.item() == pytest.approx(0, abs=1e-8)


def test_against_lightly(pair):
    ours, theirs = ([view.clone().requires_grad_() for view in pair] for _ in range(2))
    invariance, redundancy = barlow_twins_terms(cross_correlation(*ours))
    loss = invariance + 0.0051 * redundancy
    oracle = BarlowTwinsLoss(lambda_param=0.0051)(*theirs)
    torch.testing.assert_close(loss, oracle)
    loss.backward()
    oracle.backward()
    for mine, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(mine.grad, other.grad)


def test_constant_features_stay_finite():
    z = torch.ones(6, 3, requires_grad=True)
    sum(barlow_twins_terms(cross_correlation(z, z))).backward()
    assert z.grad.isfinite().all()


def test_autocast_changes_nothing(pair):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        under = cross_correlation(*pair)
    assert torch.equal(under, cross_correlation(*pair))


def test_objective_is_lightlys_loss_scaled_on_separately_projected_views(encoder, views):
    objective = BarlowTwins(encoder, config=BarlowTwinsConfig(width=8))
    output = objective(encoder, views)
    first, second = (objective.projector(encoder(view)) for view in views)
    torch.testing.assert_close(output.loss, 0.024 * BarlowTwinsLoss(lambda_param=0.0051)(first, second))
    unscaled = output.terms["invariance"] + 0.0051 * output.terms["redundancy"]
    torch.testing.assert_close(output.loss.detach(), 0.024 * unscaled)
    torch.testing.assert_close(output.z, torch.nn.functional.normalize(torch.cat([first, second]), dim=1))
