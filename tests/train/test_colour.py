import protofair.core.torchvision_ops  # noqa: F401, I001 - before torchvision
import pytest
import torch
from torchvision.transforms.v2 import functional as tv

from protofair.train import colour

CASES = [
    (colour.brightness, tv.adjust_brightness, (0.2, 1.9)),
    (colour.contrast, tv.adjust_contrast, (0.2, 1.9)),
    (colour.saturation, tv.adjust_saturation, (0.2, 1.9)),
    (colour.hue, tv.adjust_hue, (-0.5, 0.5)),
]


def pictures() -> torch.Tensor:
    """Noise, and the corners of the colour cube: greys, ties between channels, saturated colours."""
    noise = torch.rand(16, 3, 6, 6, generator=torch.Generator().manual_seed(0))
    levels = torch.tensor([0.0, 0.5, 1.0])
    corners = torch.cartesian_prod(levels, levels, levels).T.reshape(1, 3, 3, 9)
    noise[:8, :, :3] = torch.cat([corners, corners], dim=3)[:, :, :, :6]
    noise[8:, :, :3] = corners[:, :, :, 3:]
    return noise


@pytest.mark.parametrize(("ours", "theirs", "factors"), CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_each_operation_equals_torchvisions_image_by_image(ours, theirs, factors):
    images = pictures()
    factor = torch.linspace(*factors, len(images))
    expected = torch.stack([theirs(image, float(f)) for image, f in zip(images, factor, strict=True)])
    torch.testing.assert_close(ours(images, factor), expected, atol=5e-6, rtol=0)


def test_grey_equals_torchvisions():
    images = pictures()
    torch.testing.assert_close(colour.grey(images), tv.rgb_to_grayscale(images), atol=1e-6, rtol=0)


@pytest.mark.parametrize("operation", [case[0] for case in CASES])
def test_the_images_given_are_not_changed(operation):
    images = pictures()
    before = images.clone()
    operation(images, torch.full((len(images),), 0.3))
    assert torch.equal(images, before)
