"""The encoders f of the paper: ResNet-18 with two stems, narrow ResNets for small images and small machines, FD-VAE's.

Weights start as torchvision's do: He's normal distribution over the fan-out for convolutions, one and zero for batch
norm, no zeroed residual branches. Images have three channels; a grey image is expanded by whoever loads it.

torchvision is imported where an encoder is built: reading a configuration need not wait for it.
"""

from itertools import pairwise
from typing import Literal

from torch import Tensor, nn

import protofair.core.torchvision_ops  # noqa: F401 - has to come before torchvision
from protofair.core.strict import Strict
from protofair.objectives.vae import BLOCK, VAEEncoder

EncoderName = Literal["resnet18", "resnet18-imagenet", "resnet-narrow", "resnet-tiny", "fd-vae", "fd-vae-small"]


class EncoderConfig(Strict):
    name: EncoderName = "resnet18"


class Encoder(nn.Module):
    """Images [n, 3, H, W] to features [n, feature_dim]."""

    def __init__(self, trunk: nn.Module, feature_dim: int) -> None:
        super().__init__()
        self.trunk = trunk
        self.feature_dim = feature_dim

    def forward(self, images: Tensor) -> Tensor:
        features: Tensor = self.trunk(images)
        return features


def build_encoder(name: EncoderName) -> Encoder:
    """A freshly initialised encoder.

    resnet18           SupContrast's: 3x3 stem of stride 1, no max-pool; 512 features
    resnet18-imagenet  7x7 stem of stride 2 and max-pool; 512 features
    resnet-narrow      3x3 stem of stride 2, one basic block each of width 32, 64, 128, 256; 256 features
    resnet-tiny        the same at half the width; 128 features
    fd-vae             the encoder of FD-VAE, on 64 px; 20 features
    fd-vae-small       the same at half the width, on 32 px
    """
    match name:
        case "resnet18":
            return Encoder(_resnet18_small_stem(), 512)
        case "resnet18-imagenet":
            return Encoder(_resnet18(), 512)
        case "resnet-narrow":
            return Encoder(_resnet_narrow(32, 64, 128, 256), 256)
        case "resnet-tiny":
            return Encoder(_resnet_narrow(16, 32, 64, 128), 128)
        case "fd-vae":
            return Encoder(VAEEncoder(size=64, width=32), BLOCK)
        case "fd-vae-small":
            return Encoder(VAEEncoder(size=32, width=16), BLOCK)
    raise ValueError(f"unknown encoder '{name}'")


def _resnet18() -> nn.Module:
    from torchvision.models.resnet import resnet18

    trunk = resnet18(weights=None)
    trunk.fc = nn.Identity()
    return trunk


def _resnet18_small_stem() -> nn.Module:
    trunk = _resnet18()
    trunk.conv1 = _stem(64)
    trunk.maxpool = nn.Identity()
    _initialise(trunk.conv1)
    return trunk


def _resnet_narrow(first: int, *widths: int) -> nn.Module:
    from torchvision.models.resnet import BasicBlock

    layers = [_stem(first, stride=2), nn.BatchNorm2d(first), nn.ReLU(inplace=True), BasicBlock(first, first)]
    for narrow, wide in pairwise((first, *widths)):
        shortcut = nn.Sequential(nn.Conv2d(narrow, wide, 1, stride=2, bias=False), nn.BatchNorm2d(wide))
        layers.append(BasicBlock(narrow, wide, stride=2, downsample=shortcut))
    trunk = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten())
    _initialise(trunk)
    return trunk


def _stem(width: int, stride: int = 1) -> nn.Conv2d:
    return nn.Conv2d(3, width, 3, stride=stride, padding=1, bias=False)


def _initialise(module: nn.Module) -> None:
    for part in module.modules():
        if isinstance(part, nn.Conv2d):
            nn.init.kaiming_normal_(part.weight, mode="fan_out", nonlinearity="relu")
