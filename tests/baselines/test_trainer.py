"""What a method gets from the loop, seen by one that only takes notes."""

from typing import Literal

import pytest
import torch
from torch import nn

from protofair.baselines.config import Baseline
from protofair.baselines.method import Method, MethodOptions, sgd
from protofair.baselines.trainer import MethodTrainer
from protofair.objectives import build_encoder
from protofair.train.augment import two_views
from protofair.train.batches import TrainingSet
from protofair.train.schedule import cosine

CPU = torch.device("cpu")


class SpyConfig(MethodOptions):
    name: Literal["spy"] = "spy"

    def build(self, encoder, teacher):
        return Spy(encoder)


class ConstantSpyConfig(SpyConfig):
    constant_rate = True


class Spy(Method):
    def __init__(self, encoder):
        super().__init__()
        self.encoder, self.classifier = encoder, nn.Linear(encoder.feature_dim, 2)
        self.steps, self.rates, self.features = [], [], []

    def optimisers(self, options):
        return {"first": sgd([self.encoder], options), "second": sgd([self.classifier], options)}

    def update(self, step, optimisers):
        self.steps.append(step)
        self.rates.append([group["lr"] for optimiser in optimisers.values() for group in optimiser.param_groups])
        self.features.append(self.encoder(step.images))
        return {"loss": self.features[-1].detach().mean()}


@pytest.fixture
def make_trainer(project):
    """make_trainer(config, **changes): a trainer of the spy, for three epochs of three steps."""

    def make(config=SpyConfig, **changes):
        baseline = Baseline.model_validate(project.baseline_entry("lnl", **changes))
        method = config(target="Smiling", sensitive="Male")
        images = TrainingSet(project.packed, ["Smiling", "Male"])
        return MethodTrainer(baseline.model_copy(update={"method": method}), images, CPU, None)

    return make


def train(trainer):
    """All steps; returns their batches."""
    batches = []
    for epoch in trainer.epochs:
        for step, batch in enumerate(trainer.batches(epoch=epoch, first_step=0)):
            trainer.step(batch, epoch=epoch, step=step)
            batches.append((epoch, step, batch))
    return batches


def test_a_step_has_both_views_of_the_batch_one_after_the_other_and_their_labels(make_trainer):
    trainer = make_trainer(seed=5)
    for (epoch, step, batch), seen in zip(train(trainer), trainer.method.steps, strict=True):
        views = two_views(batch.images, config=trainer.baseline.augment, seed=5, epoch=epoch, step=step)
        assert torch.equal(seen.images, torch.cat(views))
        assert torch.equal(seen.target, torch.cat([batch.labels["Smiling"]] * 2))
        assert torch.equal(seen.sensitive, torch.cat([batch.labels["Male"]] * 2))


def test_a_step_knows_its_place_and_has_random_numbers_of_its_own(make_trainer):
    first, again, other = (make_trainer(seed=seed) for seed in (0, 0, 1))
    drawn = []
    for trainer in (first, again, other):
        train(trainer)
        assert [step.epochs_left for step in trainer.method.steps] == [3, 3, 3, 2, 2, 2, 1, 1, 1]
        drawn.append([torch.rand((), generator=step.generator).item() for step in trainer.method.steps])
    assert drawn[0] == drawn[1]
    assert len({*drawn[0], *drawn[2]}) == 18


def test_every_optimiser_has_the_rate_of_the_cosine_after_the_ramp(make_trainer):
    trainer = make_trainer(optimiser={"lr": 0.05, "batch_size": 8, "ramp_epochs": 1})
    train(trainer)
    first, second, third = (cosine(epoch, horizon=3, lr=0.05) for epoch in (1, 2, 3))
    expected = [first / 3, first * 2 / 3, first, *[second] * 3, *[third] * 3]
    for rate, rates in zip(expected, trainer.method.rates, strict=True):
        assert rates == pytest.approx([rate, rate])


def test_a_method_may_have_a_constant_rate(make_trainer):
    trainer = make_trainer(ConstantSpyConfig)
    train(trainer)
    assert trainer.method.rates == [[0.05, 0.05]] * 9


@pytest.mark.parametrize(
    ("precision", "computed"), [("auto", torch.float32), ("float32", torch.float32), ("bfloat16", torch.bfloat16)]
)
def test_networks_are_computed_in_the_precision_asked_for(make_trainer, precision, computed):
    trainer = make_trainer(precision=precision)
    train(trainer)
    assert {features.dtype for features in trainer.method.features} == {computed}


@pytest.mark.parametrize("seed", [0, 5])
def test_the_seed_decides_the_weights(make_trainer, seed):
    found = make_trainer(seed=seed).method
    torch.manual_seed(seed)
    expected = Spy(build_encoder("resnet-tiny")).state_dict()
    assert all(torch.equal(value, expected[name]) for name, value in found.state_dict().items())


def test_every_part_is_in_training_mode(make_trainer):
    assert all(part.training for part in make_trainer().method.modules())


@pytest.mark.parametrize("part", ["encoder", "classifier"])
def test_a_weight_that_is_no_number_is_seen(make_trainer, part):
    trainer = make_trainer()
    assert trainer.finite()
    next(getattr(trainer.method, part).parameters()).data[0] = torch.nan
    assert not trainer.finite()
