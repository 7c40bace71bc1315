"""CE: cross-entropy over both views, by hand."""

import math

import pytest
import torch

from protofair.objectives.ce import CE, CEConfig
from protofair.objectives.objective import both_views

TARGET = torch.tensor([0, 1, 2] * 4)


def test_the_loss_is_the_mean_over_both_views(encoder, views):
    torch.manual_seed(0)
    objective = CE(encoder, config=CEConfig(target="race", num_classes=3))
    encoder.eval()
    output = objective(encoder, views, target=TARGET)
    total = 0.0
    for view in views:
        for image, label in zip(view, TARGET.tolist(), strict=True):
            logits = objective.classifier(encoder(image[None]))[0].tolist()
            total += math.log(sum(math.exp(logit) for logit in logits)) - logits[label]
    assert output.loss.item() == pytest.approx(total / 24, rel=1e-5)


def test_its_classifier_is_the_one_it_reports(encoder, views):
    objective = CE(encoder, config=CEConfig(target="Smiling"))
    assert objective.own_classifier() is objective.classifier
    assert objective.classifier.weight.shape == (2, 16)


def test_all_of_the_encoder_and_the_classifier_learn(encoder, views):
    objective = CE(encoder, config=CEConfig(target="race", num_classes=3))
    objective(encoder, views, target=TARGET).loss.backward()
    assert all(p.grad.abs().sum() > 0 for p in (*encoder.parameters(), *objective.parameters()))


def test_labels_are_those_of_the_images_twice():
    assert both_views(torch.tensor([3, 5])).tolist() == [3, 5, 3, 5]
