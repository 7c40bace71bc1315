import pytest
import torch
from lightly.loss import NegativeCosineSimilarity

from protofair.objectives.byol import BYOL, BYOLConfig, byol_loss, target_momentum

SMALL = BYOLConfig(hidden=32, out=8)


def test_by_hand(at_angles):
    # 2 - 2 cos of 0, 90, 180 and 60 degrees is 0, 2, 4 and 1; lengths do not matter.
    loss = byol_loss(3 * at_angles(0, 0, 0, 0), at_angles(0, 90, 180, 60))
    assert loss.item() == pytest.approx(7 / 4, rel=1e-6)


def test_against_lightly():
    generator = torch.Generator().manual_seed(0)
    first, second = torch.randn(2, 6, 5, generator=generator)
    torch.testing.assert_close(byol_loss(first, second), 2 + 2 * NegativeCosineSimilarity()(first, second))


def test_zero_vectors_stay_finite():
    z = torch.zeros(4, 3, requires_grad=True)
    byol_loss(z, torch.ones(4, 3)).backward()
    assert z.grad.isfinite().all()


def test_momentum_goes_from_base_to_one_by_a_cosine():
    assert target_momentum(0.99, 0.0) == pytest.approx(0.99, abs=1e-15)
    assert target_momentum(0.99, 0.5) == pytest.approx(0.995)
    assert target_momentum(0.99, 0.25) == pytest.approx(1 - 0.01 * (0.5**0.5 + 1) / 2)
    assert target_momentum(0.99, 1.0) == 1


def test_objective_predicts_the_other_views_target(encoder, views):
    objective = BYOL(encoder, config=SMALL)
    with torch.no_grad():
        objective.target_projector[0].weight += 0.5  # so that target and online differ
    output = objective(encoder, views)
    online = [objective.projector(encoder(view)) for view in views]
    predictions = [objective.predictor(projection) for projection in online]
    targets = [objective.target_projector(objective.target_encoder(view)) for view in views]
    cosine = NegativeCosineSimilarity()
    expected = 4 + 2 * cosine(predictions[0], targets[1]) + 2 * cosine(predictions[1], targets[0])
    torch.testing.assert_close(output.loss, expected)
    torch.testing.assert_close(output.z, torch.nn.functional.normalize(torch.cat(online), dim=1))


def test_gradient_reaches_the_online_networks_alone(encoder, views):
    objective = BYOL(encoder, config=SMALL)
    objective(encoder, views).loss.backward()
    for name, parameter in [*encoder.named_parameters(), *objective.named_parameters()]:
        assert (parameter.grad is None) == name.startswith("target_"), name
    assert encoder.trunk[0].weight.grad.abs().sum() > 0


def test_target_follows_after_the_step_only(encoder, views):
    objective = BYOL(encoder, config=SMALL)
    before = objective.target_encoder.trunk[0].weight.clone()
    objective(encoder, views)
    with torch.no_grad():
        encoder.trunk[0].weight += 1
        objective.projector[0].weight.zero_()
    assert torch.equal(objective.target_encoder.trunk[0].weight, before)
    projector_before = objective.target_projector[0].weight.clone()
    objective.after_step(encoder, progress=0.5)
    expected = 0.995 * before + 0.005 * encoder.trunk[0].weight.detach()
    torch.testing.assert_close(objective.target_encoder.trunk[0].weight, expected)
    torch.testing.assert_close(objective.target_projector[0].weight, 0.995 * projector_before)
    assert torch.equal(objective.target_encoder.trunk[1].running_mean, encoder.trunk[1].running_mean)
