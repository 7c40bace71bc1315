import copy
import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from protofair.baselines.mfd import MFD, MFDConfig, mfd_loss, mmd_squared
from protofair.objectives import Encoder
from protofair.train.config import Optimiser

STUDENT, TEACHER = torch.randn(2, 12, 4, generator=torch.Generator().manual_seed(0)).unbind()
TARGET = torch.tensor([0, 1, 2] * 4)
SENSITIVE = torch.tensor([0, 0, 1, 1, 1, 0, 0, 1, 0, 1, 0, 0])  # no image of target 2 and group 1 but the third


def distance(x: torch.Tensor, y: torch.Tensor) -> float:
    return sum((a - b) ** 2 for a, b in zip(x.tolist(), y.tolist(), strict=True))


def slow_mmd(x: torch.Tensor, y: torch.Tensor, bandwidth: float) -> float:
    total = 0.0
    for rows, columns, sign in ((x, x, 1), (y, y, 1), (x, y, -2)):
        for a in rows:
            for b in columns:
                total += sign * math.exp(-distance(a, b) / (2 * bandwidth)) / (len(rows) * len(columns))
    return total


def slow_loss() -> float:
    total = 0.0
    bandwidth = sum(distance(a, b) for a in TEACHER for b in STUDENT) / 12**2
    for c in range(3):
        taught = [TEACHER[i] for i in range(12) if TARGET[i] == c]
        for g in range(2):
            group = [STUDENT[i] for i in range(12) if TARGET[i] == c and SENSITIVE[i] == g]
            if group:
                total += slow_mmd(torch.stack(taught), torch.stack(group), bandwidth)
    return total / 2


def test_mmd_is_the_triple_loop():
    found = mmd_squared(STUDENT[:5], TEACHER, bandwidth=torch.tensor(1.7))
    assert found.item() == pytest.approx(slow_mmd(STUDENT[:5], TEACHER, 1.7), rel=1e-4)
    assert mmd_squared(STUDENT, STUDENT, bandwidth=torch.tensor(1.0)).item() == pytest.approx(0, abs=1e-6)


def test_mmd_of_two_points_by_hand():
    x, y = torch.tensor([[0.0]]), torch.tensor([[2.0]])
    assert mmd_squared(x, y, bandwidth=torch.tensor(4.0)).item() == pytest.approx(2 - 2 * math.exp(-0.5))


def test_the_loss_is_the_sum_over_classes_and_groups():
    found = mfd_loss(STUDENT, TEACHER, target=TARGET, sensitive=SENSITIVE)
    assert found.item() == pytest.approx(slow_loss(), rel=1e-4)


def test_a_step_down_brings_the_students_groups_nearer_to_the_teacher():
    student = STUDENT.clone().requires_grad_()
    before = mfd_loss(student, TEACHER, target=TARGET, sensitive=SENSITIVE)
    (gradient,) = torch.autograd.grad(before, student)
    after = mfd_loss(student - 0.1 * gradient, TEACHER, target=TARGET, sensitive=SENSITIVE)
    assert after < before


def test_no_gradient_flows_through_the_bandwidth():
    student = STUDENT.clone().requires_grad_()
    expected = torch.zeros(())
    bandwidth = torch.cdist(TEACHER, STUDENT).square().mean()
    for c in range(3):
        for g in range(2):
            taught, group = TEACHER[TARGET.eq(c)], student[TARGET.eq(c) & SENSITIVE.eq(g)]
            expected = expected + mmd_squared(taught, group, bandwidth=bandwidth) / 2
    found = mfd_loss(student, TEACHER, target=TARGET, sensitive=SENSITIVE)
    gradients = [torch.autograd.grad(loss, student)[0] for loss in (found, expected)]
    torch.testing.assert_close(*gradients, rtol=1e-4, atol=1e-6)


def test_features_that_are_all_alike_give_no_nan():
    same = torch.ones(4, 3, requires_grad=True)
    loss = mfd_loss(same, same.detach(), target=torch.tensor([0, 0, 1, 1]), sensitive=torch.tensor([0, 1, 0, 1]))
    loss.backward()
    assert loss.item() == 0
    assert same.grad.isfinite().all()


def test_the_teacher_never_changes_and_the_student_and_its_classifier_do(encoder, make_step, moved):
    teacher = Encoder(nn.Sequential(nn.Conv2d(3, 6, 3), nn.BatchNorm2d(6), nn.AdaptiveAvgPool2d(1), nn.Flatten()), 6)
    mfd = MFD(encoder, teacher, config=MFDConfig(target="Smiling", sensitive="Male")).train()
    assert not mfd.teacher.training
    optimisers = mfd.optimisers(Optimiser(lr=0.1))
    assert moved(mfd, lambda: mfd.update(make_step(), optimisers)) == {"encoder.trunk.0", "classifier"}
    assert any(name.startswith("teacher.") for name in mfd.state_dict()), "it is part of the state"


@pytest.mark.parametrize("weight", [0.0, 7.0])
def test_an_update_goes_down_the_cross_entropy_plus_the_weighted_loss(encoder, make_step, weight):
    torch.manual_seed(4)
    teacher = copy.deepcopy(encoder)
    for parameter in teacher.parameters():
        parameter.data += 0.3 * torch.randn_like(parameter)
    mfd = MFD(encoder, teacher, config=MFDConfig(target="t", sensitive="s", weight=weight))
    step = make_step()
    features, labels = encoder(step.images), {"target": step.target, "sensitive": step.sensitive}
    loss = F.cross_entropy(mfd.classifier(features), step.target)
    loss = loss + weight * mfd_loss(features, teacher(step.images).detach(), **labels)
    parameters = [*encoder.parameters(), *mfd.classifier.parameters()]
    expected = [p - 0.1 * g for p, g in zip(parameters, torch.autograd.grad(loss, parameters), strict=True)]
    mfd.update(step, mfd.optimisers(Optimiser(lr=0.1, momentum=0, weight_decay=0)))
    for parameter, wanted in zip(parameters, expected, strict=True):
        torch.testing.assert_close(parameter, wanted)
