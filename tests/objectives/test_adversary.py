"""The reversed adversary: the sign and the size of what each side gets."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from protofair.objectives.adversary import Adversary, reverse

FEATURES = torch.randn(12, 6, generator=torch.Generator().manual_seed(0))
LABEL = torch.tensor([0, 1, 2] * 4)


def adversary(weight: float = 1.0) -> Adversary:
    torch.manual_seed(1)
    return Adversary(6, num_classes=3, weight=weight)


@pytest.mark.parametrize("weight", [0.1, 1.0, 10.0])
def test_the_features_get_minus_weight_times_the_gradient_and_the_adversary_all_of_it(weight: float):
    opponent = adversary(weight)
    features = FEATURES.clone().requires_grad_()
    plain = F.cross_entropy(opponent.head(features), LABEL)
    expected = torch.autograd.grad(plain, [features, *opponent.head.parameters()])
    loss = opponent(features, LABEL)
    found = torch.autograd.grad(loss, [features, *opponent.head.parameters()])
    torch.testing.assert_close(loss, plain)
    torch.testing.assert_close(found[0], -weight * expected[0])
    for got, wanted in zip(found[1:], expected[1:], strict=True):
        torch.testing.assert_close(got, wanted)


def test_the_loss_is_the_cross_entropy_of_the_two_layers_by_hand():
    opponent = adversary()
    first, _, last = opponent.head
    total = 0.0
    for x, label in zip(FEATURES, LABEL.tolist(), strict=True):
        hidden = [max(0.0, (w @ x + b).item()) for w, b in zip(first.weight, first.bias, strict=True)]
        logits = [(w @ torch.tensor(hidden) + b).item() for w, b in zip(last.weight, last.bias, strict=True)]
        total += math.log(sum(math.exp(logit) for logit in logits)) - logits[label]
    assert opponent(FEATURES, LABEL).item() == pytest.approx(total / len(LABEL), rel=1e-5)


@pytest.mark.parametrize(("moving", "sign"), [("adversary", -1), ("encoder", 1)])
def test_a_step_improves_the_adversary_and_makes_what_comes_before_it_worse_for_it(moving: str, sign: int):
    """To first order a step of size r changes the loss by r times the squared gradient: down, or reversed up."""
    torch.manual_seed(2)
    modules = {"encoder": nn.Linear(6, 6), "adversary": adversary()}

    def loss() -> torch.Tensor:
        return modules["adversary"](modules["encoder"](FEATURES), LABEL)

    before = loss()
    before.backward()
    squared = 0.0
    for parameter in modules[moving].parameters():
        squared += parameter.grad.square().sum().item()
        parameter.data -= 0.01 * parameter.grad
    assert squared > 0
    assert loss().item() - before.item() == pytest.approx(sign * 0.01 * squared, rel=0.1)


def test_reversal_changes_no_value():
    assert torch.equal(reverse(FEATURES, weight=3.0), FEATURES)
