import math

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from protofair.probe import linear
from protofair.probe.config import ProbeConfig
from protofair.probe.linear import scores, train_probes


def config(**options):
    required = {"checkpoint": {"stage": "warmup", "key": "k", "epoch": 1}, "data": "d"}
    return ProbeConfig.model_validate({**required, "tasks": [{"target": "a", "sensitive": "b"}], **options})


@pytest.fixture
def problem():
    """Features [600, 6] with a class of three, and one of two, to be read off them with some noise."""
    generator = torch.Generator().manual_seed(0)
    features = torch.randn(600, 6, generator=generator)
    noise = torch.randn(600, 3, generator=generator)
    return features, {"three": (2 * features[:, :3] + noise).argmax(1), "two": (features[:, 3] > 0.2).long()}


def train(problem, only=None, **options):
    features, labels = problem
    labels = {name: labels[name] for name in only or labels}
    return train_probes(lambda epoch: features, labels, num_classes={"three": 3, "two": 2}, config=config(**options))


@pytest.mark.parametrize("name", ["two", "three"])
def test_a_probe_learns_what_logistic_regression_does(problem, name):
    features, labels = problem
    probe = train(problem, epochs=40)[name]
    found = probe(features).argmax(1)
    oracle = LogisticRegression(C=1e3).fit(features.numpy(), labels[name].numpy()).predict(features.numpy())
    assert np.mean(found.numpy() == oracle) > 0.97


@pytest.mark.parametrize("schedule", ["constant", "cosine"])
def test_a_probe_is_trained_step_by_step_as_the_paper_says(schedule):
    # One feature, two batches of the same image, two epochs: SGD with momentum by hand, the rate new in every step.
    features, label = torch.tensor([[-2.0], [-2.0]]), torch.tensor([1, 1])
    options = config(epochs=2, batch_size=1, lr=0.5, momentum=0.7, schedule=schedule, seed=4)
    probe = train_probes(lambda epoch: features, {"x": label}, num_classes={"x": 2}, config=options)["x"]
    start = linear._new_probe(1, 2, 4)
    w, b = start.weight.detach().double(), start.bias.detach().double()
    x, onehot = features[:1].double(), torch.eye(2).double()[label[:1]]
    velocity_w, velocity_b = torch.zeros_like(w), torch.zeros_like(b)
    for step in range(4):
        falling = 0.008 + 0.992 * (1 + math.cos(math.pi * step / 4)) / 2
        rate = 0.5 * falling if schedule == "cosine" else 0.5
        error = (x @ w.T + b).softmax(1) - onehot
        velocity_w, velocity_b = 0.7 * velocity_w + error.T @ x, 0.7 * velocity_b + error.sum(0)
        w, b = w - rate * velocity_w, b - rate * velocity_b
    torch.testing.assert_close(probe.weight.detach().double(), w, atol=1e-6, rtol=1e-5)
    torch.testing.assert_close(probe.bias.detach().double(), b, atol=1e-6, rtol=1e-5)


def test_the_seed_decides_everything(problem):
    first, again, other = (train(problem, seed=seed)["three"].weight for seed in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_the_seed_decides_the_start_and_the_order(problem, monkeypatch):
    """A batch of everything has no order; a start that is always the same leaves the order."""
    one_batch = [train(problem, seed=seed, batch_size=600, epochs=1)["two"].weight for seed in (1, 2)]
    torch.testing.assert_close(one_batch[0], train(problem, seed=1, batch_size=600, epochs=1)["two"].weight)
    assert not torch.allclose(*one_batch)
    start = linear._new_probe
    monkeypatch.setattr(linear, "_new_probe", lambda dim, classes, seed: start(dim, classes, 0))
    assert not torch.allclose(*(train(problem, seed=seed, epochs=1)["two"].weight for seed in (1, 2)))
    torch.testing.assert_close(*(train(problem, seed=s, batch_size=600, epochs=1)["two"].weight for s in (1, 2)))


def test_the_state_of_torchs_own_generator_does_not_matter(problem):
    torch.manual_seed(1)
    first = train(problem)["two"].weight
    torch.manual_seed(2)
    assert torch.equal(first, train(problem)["two"].weight)


def test_a_probe_is_the_same_whatever_is_trained_beside_it(problem):
    alone, beside = train(problem, only=["three"])["three"], train(problem)["three"]
    assert torch.equal(alone.weight, beside.weight)
    assert torch.equal(alone.bias, beside.bias)


def test_every_image_is_seen_once_an_epoch(problem, monkeypatch):
    features, _ = problem
    seen = []
    original = linear.F.cross_entropy

    def record(logits, label):
        seen.append(label)
        return original(logits, label)

    numbers = torch.arange(600)  # 600 classes, so that a label names its image
    monkeypatch.setattr(linear.F, "cross_entropy", record)
    train_probes(lambda epoch: features, {"n": numbers}, num_classes={"n": 600}, config=config(epochs=2))
    assert [len(batch) for batch in seen] == [128, 128, 128, 128, 88] * 2
    first, second = torch.cat(seen[:5]), torch.cat(seen[5:])
    assert torch.equal(first.sort().values, numbers)
    assert torch.equal(second.sort().values, numbers)
    assert not torch.equal(first, second)


def test_each_epoch_uses_its_own_features(problem):
    features, labels = problem
    asked = []

    def of_epoch(epoch):
        asked.append(epoch)
        return features * (epoch + 1)

    changing = train_probes(of_epoch, labels, num_classes={"three": 3, "two": 2}, config=config(epochs=3))
    assert asked == [0, 1, 2]
    assert not torch.equal(changing["two"].weight, train(problem, epochs=3)["two"].weight)


def test_scores_are_log_odds_of_two_classes_and_log_probabilities_of_more(problem):
    features, _ = problem
    probes = train(problem, epochs=1)
    two, three = scores(probes["two"], features), scores(probes["three"], features)
    probability = probes["two"](features).softmax(1)
    torch.testing.assert_close(two[:, 0].sigmoid(), probability[:, 1].detach())
    assert two.shape == (600, 1)
    assert three.shape == (600, 3)
    torch.testing.assert_close(three.exp().sum(1), torch.ones(600))
