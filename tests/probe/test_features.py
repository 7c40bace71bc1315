import numpy as np
import pytest
import torch
from torch import nn

from protofair.objectives import Encoder, build_encoder
from protofair.probe import features
from protofair.probe.features import encode


class Pixels(nn.Module):
    """Gives back what the encoder was given, and keeps it company with a parameter."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, images):
        return images.flatten(1) * self.scale


@pytest.fixture
def images():
    return np.random.default_rng(0).integers(0, 256, size=(20, 4, 5, 3), dtype=np.uint8)


def test_the_encoder_is_given_normalised_images_in_the_order_of_the_rows(images, monkeypatch):
    monkeypatch.setattr(features, "BATCH", 3)
    rows = np.array([7, 2, 19, 2, 0, 11, 5])
    found = encode(Encoder(Pixels(), 60), images, rows).reshape(7, 3, 4, 5)
    expected = (images[rows] / 255 - 0.5) / 0.5
    np.testing.assert_allclose(found.numpy(), expected.transpose(0, 3, 1, 2), atol=1e-6)


def test_grey_images_have_three_equal_channels(images):
    found = encode(Encoder(Pixels(), 60), images[..., :1], np.arange(4)).reshape(4, 3, 4, 5)
    expected = (images[:4, :, :, 0] / 255 - 0.5) / 0.5
    for channel in range(3):
        np.testing.assert_allclose(found[:, channel].numpy(), expected, atol=1e-6)


def test_an_images_features_do_not_depend_on_the_rest_of_its_batch(images):
    encoder = build_encoder("resnet-narrow").eval()
    together, alone = encode(encoder, images, np.arange(20)), encode(encoder, images, np.array([6]))
    torch.testing.assert_close(together[6:7], alone)
    assert together.shape == (20, encoder.feature_dim)
    assert not together.requires_grad


def test_a_transform_sees_every_batch_in_unit_range_with_its_number(images, monkeypatch):
    monkeypatch.setattr(features, "BATCH", 8)
    seen = []

    def transform(batch, number):
        assert batch.min() >= 0
        assert 0.9 < batch.max() <= 1
        seen.append((len(batch), number))
        return 1 - batch

    found = encode(Encoder(Pixels(), 60), images, np.arange(20), transform=transform)
    assert seen == [(8, 0), (8, 1), (4, 2)]
    torch.testing.assert_close(found, -encode(Encoder(Pixels(), 60), images, np.arange(20)), atol=1e-6, rtol=0)
