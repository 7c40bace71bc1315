"""Small inputs for the objectives."""

from collections.abc import Callable
from typing import NamedTuple

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from protofair.objectives.encoder import Encoder


class Features(NamedTuple):
    """Rows i and i + B are views of the same image."""

    z: Tensor  # [2B, d] L2-normalised
    target: Tensor  # int [2B]
    sensitive: Tensor  # int [2B]


@pytest.fixture
def golden() -> Features:
    """The input whose losses FSCL's own code gives: f[i, v, k] = sin(1 + 0.7 i + 0.3 v + 1.1 k)."""
    image, view, k = torch.arange(8.0)[:, None, None], torch.arange(2.0)[None, :, None], torch.arange(4.0)
    f = F.normalize(torch.sin(1 + 0.7 * image + 0.3 * view + 1.1 * k), dim=2)
    target = torch.tensor([0, 1, 0, 1, 0, 1, 0, 1])
    sensitive = torch.tensor([0, 0, 1, 1, 0, 0, 1, 1])
    return Features(torch.cat([f[:, 0], f[:, 1]]), target.repeat(2), sensitive.repeat(2))


@pytest.fixture(params=[0, 1, 2])
def random_features(request: pytest.FixtureRequest) -> Features:
    """Nine images with three targets and three sensitive groups, some of them empty or alone."""
    generator = torch.Generator().manual_seed(request.param)
    z = F.normalize(torch.randn(18, 5, generator=generator), dim=1)
    target, sensitive = torch.randint(3, (2, 9), generator=generator)
    return Features(z, target.repeat(2), sensitive.repeat(2))


@pytest.fixture
def at_angles() -> Callable[..., Tensor]:
    """Points on the unit circle, placed by their angles in degrees: [n, 2]."""

    def place(*degrees: float) -> Tensor:
        radians = torch.deg2rad(torch.tensor(degrees))
        return torch.stack([radians.cos(), radians.sin()], dim=1)

    return place


@pytest.fixture
def encoder() -> Encoder:
    """An encoder with batch norm that costs nothing: [n, 3, 8, 8] to [n, 16]."""
    torch.manual_seed(0)
    trunk = nn.Sequential(
        nn.Conv2d(3, 16, 3, stride=2, bias=False), nn.BatchNorm2d(16), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten()
    )
    return Encoder(trunk, 16)


@pytest.fixture
def views() -> tuple[Tensor, Tensor]:
    """Twelve random images, each twice with its own noise."""
    generator = torch.Generator().manual_seed(1)
    images = torch.randn(12, 3, 8, 8, generator=generator) + 2 * torch.randn(12, 3, 1, 1, generator=generator)
    first, second = images + 0.3 * torch.randn(2, 12, 3, 8, 8, generator=generator)
    return first, second
