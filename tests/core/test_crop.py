import protofair.core.torchvision_ops  # noqa: F401, I001 - before torchvision
import pytest
import torch
from scipy.stats import ks_2samp
from torchvision.transforms import v2
from torchvision.transforms.v2 import functional as tv

from protofair.core.crop import random_boxes, resized_crop

SCALE, RATIO = (0.2, 1.0), (3 / 4, 4 / 3)


def boxes_like_ours(n: int, **options) -> torch.Tensor:
    options = {"height": 128, "width": 128, "scale": SCALE, "ratio": RATIO} | options
    return random_boxes(n, **options, generator=torch.Generator().manual_seed(0))


def boxes_like_torchvision(n: int, height: int = 128, width: int = 128) -> torch.Tensor:
    transform = v2.RandomResizedCrop(128, scale=SCALE, ratio=RATIO)
    image = torch.zeros(3, height, width)
    with torch.random.fork_rng():
        torch.manual_seed(1)
        drawn = [transform.make_params([image]) for _ in range(n)]
    return torch.tensor([[box["top"], box["left"], box["height"], box["width"]] for box in drawn])


@pytest.mark.parametrize("size", [(12, 12), (9, 17)])
def test_crop_and_flip_equal_torchvision_image_by_image(size):
    images = torch.rand(40, 3, *size, generator=torch.Generator().manual_seed(0))
    boxes = boxes_like_ours(40, height=size[0], width=size[1])
    flip = torch.arange(40) % 2 == 0
    ours = resized_crop(images, boxes=boxes, flip=flip)
    for image, box, mirrored, out in zip(images, boxes.tolist(), flip, ours, strict=True):
        expected = tv.resized_crop(image, *box, size=list(size), antialias=True)
        expected = tv.horizontal_flip(expected) if mirrored else expected
        torch.testing.assert_close(out, expected, atol=2e-6, rtol=0)


def test_pixels_outside_the_box_play_no_part():
    images = torch.full((1, 1, 8, 8), 100.0)
    images[:, :, 2:6, 3:7] = 1.0
    out = resized_crop(images, boxes=torch.tensor([[2, 3, 4, 4]]), flip=torch.tensor([False]))
    torch.testing.assert_close(out, torch.ones(1, 1, 8, 8))


@pytest.mark.parametrize("measure", ["area", "aspect", "top", "left"])
def test_boxes_are_distributed_as_torchvisions(measure):
    def values(boxes: torch.Tensor) -> torch.Tensor:
        top, left, height, width = boxes.double().unbind(1)
        return {"area": height * width, "aspect": width / height, "top": top, "left": left}[measure]

    ours, theirs = values(boxes_like_ours(4000)), values(boxes_like_torchvision(4000))
    assert ks_2samp(ours.numpy(), theirs.numpy()).pvalue > 0.01


def test_boxes_lie_inside_and_reach_every_edge():
    top, left, height, width = boxes_like_ours(4000, height=16, width=16).unbind(1)
    assert (torch.stack([top, left]) >= 0).all()
    assert (height >= 1).all()
    assert (top + height).max() == 16
    assert (left + width).max() == 16
    assert (top + height <= 16).all()
    assert (left + width <= 16).all()


@pytest.mark.parametrize(("height", "width"), [(64, 8), (8, 64), (20, 20)])
def test_where_no_box_fits_the_central_one_is_taken(height, width):
    ours = random_boxes(
        3,
        height=height,
        width=width,
        scale=(0.999, 1.0) if height != width else (1.0, 1.0),
        ratio=(3 / 4, 4 / 3) if height != width else (1.3, 4 / 3),
        generator=torch.Generator().manual_seed(0),
    )
    transform = v2.RandomResizedCrop(
        8,
        scale=(0.999, 1.0) if height != width else (1.0, 1.0),
        ratio=(3 / 4, 4 / 3) if height != width else (1.3, 4 / 3),
    )
    box = transform.make_params([torch.zeros(3, height, width)])
    assert ours.tolist() == [[box["top"], box["left"], box["height"], box["width"]]] * 3
