import copy
import math

import pytest
import torch
import torch.nn.functional as F

from protofair.baselines.lnl import LNL, LNLConfig, negative_entropy
from protofair.train.config import Optimiser

PLAIN = Optimiser(lr=0.01, momentum=0, weight_decay=0)


@pytest.fixture
def lnl(encoder):
    torch.manual_seed(3)
    return LNL(encoder, config=LNLConfig(target="Smiling", sensitive="Male"))


def test_negative_entropy_is_the_formula():
    logits = torch.tensor([[0.3, -1.0, 2.0], [0.0, 0.0, 0.0]])
    total = 0.0
    for row in logits.tolist():
        weights = [math.exp(value) for value in row]
        for weight in weights:
            p = weight / sum(weights)
            total += p * math.log(p) / 2
    assert negative_entropy(logits).item() == pytest.approx(total, rel=1e-6)
    assert negative_entropy(logits[1:]).item() == pytest.approx(-math.log(3)), "the lowest there is"


@pytest.mark.parametrize(
    ("still", "expected"), [("bias", {"encoder.trunk.0", "classifier"}), ("target", {"encoder.trunk.0", "bias"})]
)
def test_each_update_moves_the_encoder_and_its_own_head(lnl, make_step, moved, still, expected):
    optimisers = lnl.optimisers(PLAIN)
    optimisers[still].param_groups[0]["lr"] = 0.0
    assert moved(lnl, lambda: lnl.update(make_step(), optimisers)) == expected


def test_the_first_update_goes_down_the_cross_entropy_plus_a_hundredth_of_the_negative_entropy(lnl, make_step):
    optimisers, step = lnl.optimisers(PLAIN), make_step()
    optimisers["bias"].param_groups[0]["lr"] = 0.0
    features = lnl.encoder(step.images)
    p = lnl.bias.head(features).softmax(dim=1)
    entropy = -(p * p.log()).sum(dim=1).mean()
    loss = F.cross_entropy(lnl.classifier(features), step.target) - 0.01 * entropy
    parameters = [*lnl.encoder.parameters(), *lnl.classifier.parameters()]
    expected = [p - 0.01 * g for p, g in zip(parameters, torch.autograd.grad(loss, parameters), strict=True)]
    lnl.update(step, optimisers)
    for parameter, wanted in zip(parameters, expected, strict=True):
        torch.testing.assert_close(parameter, wanted)


def test_the_second_update_improves_the_bias_head_and_makes_the_encoder_worse_for_it(lnl, make_step):
    optimisers, step = lnl.optimisers(PLAIN), make_step()
    optimisers["target"].param_groups[0]["lr"] = 0.0

    def bias_loss(encoder, head):
        with torch.no_grad():
            return F.cross_entropy(head(encoder(step.images)), step.sensitive).item()

    before_encoder, before_head = copy.deepcopy(lnl.encoder), copy.deepcopy(lnl.bias.head)
    before = bias_loss(before_encoder, before_head)
    gradients = torch.autograd.grad(
        F.cross_entropy(before_head(before_encoder(step.images)), step.sensitive), list(before_encoder.parameters())
    )
    lnl.update(step, optimisers)
    assert bias_loss(before_encoder, lnl.bias.head) < before
    assert bias_loss(lnl.encoder, before_head) > before
    for old, new, gradient in zip(before_encoder.parameters(), lnl.encoder.parameters(), gradients, strict=True):
        torch.testing.assert_close(new - old, 0.01 * 0.1 * gradient, rtol=1e-3, atol=1e-7)
