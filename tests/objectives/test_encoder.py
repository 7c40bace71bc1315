import math

import pytest
import torch
from torch import nn

import protofair.core.torchvision_ops  # noqa: F401 - has to come before torchvision

# isort: split
from torchvision.models import resnet18

from protofair.objectives.encoder import build_encoder


@pytest.mark.parametrize(
    ("name", "feature_dim"),
    [("resnet18", 512), ("resnet18-imagenet", 512), ("resnet-narrow", 256), ("resnet-tiny", 128)],
)
def test_features(name, feature_dim):
    torch.manual_seed(0)
    encoder = build_encoder(name)
    assert encoder.feature_dim == feature_dim
    assert encoder(torch.randn(2, 3, 32, 32)).shape == (2, feature_dim)


@pytest.mark.parametrize(
    ("name", "resolutions"),
    [("resnet18", [32, 16, 8, 4]), ("resnet18-imagenet", [8, 4, 2, 1]), ("resnet-narrow", [16, 8, 4, 2])],
)
def test_resolution_of_the_four_stages(name, resolutions):
    encoder = build_encoder(name)
    seen = []
    stages = [
        module
        for key, module in encoder.trunk.named_children()
        if key.startswith("layer") or type(module).__name__ == "BasicBlock"
    ]
    for stage in stages:
        stage.register_forward_hook(lambda module, inputs, output: seen.append(output.shape[-1]))
    encoder(torch.randn(2, 3, 32, 32))
    assert seen == resolutions


def test_imagenet_stem_is_torchvisions_resnet():
    encoder, theirs = build_encoder("resnet18-imagenet").eval(), resnet18(weights=None).eval()
    theirs.fc = nn.Identity()
    theirs.load_state_dict(encoder.trunk.state_dict())
    images = torch.randn(2, 3, 64, 64)
    assert torch.equal(encoder(images), theirs(images))


def test_small_stem_differs_from_torchvisions_in_the_stem_alone():
    ours, theirs = build_encoder("resnet18").trunk.state_dict(), resnet18(weights=None).state_dict()
    shapes = {key: value.shape for key, value in theirs.items() if not key.startswith("fc.")}
    shapes["conv1.weight"] = torch.Size([64, 3, 3, 3])
    assert {key: value.shape for key, value in ours.items()} == shapes


@pytest.mark.parametrize(
    ("name", "widths"), [("resnet-narrow", [32, 64, 128, 256]), ("resnet-tiny", [16, 32, 64, 128])]
)
def test_narrow_widths(name, widths):
    blocks = [m for m in build_encoder(name).trunk if type(m).__name__ == "BasicBlock"]
    assert [block.conv2.out_channels for block in blocks] == widths


@pytest.mark.parametrize("name", ["resnet18", "resnet-narrow"])
def test_convolutions_start_as_torchvisions_do(name):
    torch.manual_seed(0)
    for module in build_encoder(name).modules():
        if isinstance(module, nn.Conv2d):
            fan_out = module.out_channels * module.kernel_size[0] ** 2
            weight = module.weight
            # The standard error of a standard deviation of n normal values is std / sqrt(2 n).
            std = math.sqrt(2 / fan_out)
            assert weight.std().item() == pytest.approx(std, abs=5 * std / math.sqrt(2 * weight.numel()))


def test_unknown_name():
    with pytest.raises(ValueError, match="unknown encoder 'resnet34'"):
        build_encoder("resnet34")
