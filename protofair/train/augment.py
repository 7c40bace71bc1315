"""Two augmented views of a batch, computed on the training device with parameters of its own for every image.

The operations, their distributions and their order are FSCL's, which are torchvision's: RandomResizedCrop, flip,
RandomApply(ColorJitter), grayscale, normalise. torchvision's own transforms draw one set of parameters for a whole
batch, and to call them image by image takes longer than a small encoder does. What remains different from a chain of
PIL images: nothing is rounded to whole levels between two operations.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from protofair.core.crop import random_boxes, resized_crop
from protofair.train import colour
from protofair.train.config import Augment
from protofair.train.randomness import generator

OPERATIONS = (colour.brightness, colour.contrast, colour.saturation, colour.hue)
MEAN, STD = 0.5, 0.5


@dataclass(frozen=True)
class Parameters:
    """What happens to each of n images, on the CPU."""

    boxes: Tensor  # int64 [n, 4]: top, left, height, width
    flip: Tensor  # bool [n]
    jitter: Tensor  # bool [n]
    order: Tensor  # int64 [n, 4]: the operation of each turn
    factors: Tensor  # float32 [n, 4]: by operation
    grayscale: Tensor  # bool [n]

    def turns(self) -> Iterator[tuple[int, Tensor]]:
        """Each turn of the colour jitter: an operation and the images, int64 [m], that it is the turn of."""
        for turn in range(len(OPERATIONS)):
            for operation in range(len(OPERATIONS)):
                yield operation, torch.nonzero(self.jitter & (self.order[:, turn] == operation))[:, 0]


def draw(n: int, *, height: int, width: int, config: Augment, generator: torch.Generator) -> Parameters:
    """Independent parameters for n images."""

    def chance(probability: float) -> Tensor:
        return torch.rand(n, generator=generator) < probability

    boxes = random_boxes(
        n, height=height, width=width, scale=config.crop_scale, ratio=config.crop_ratio, generator=generator
    )
    strengths = torch.tensor([config.brightness, config.contrast, config.saturation, config.hue])
    factors = strengths * (2 * torch.rand(n, len(OPERATIONS), generator=generator) - 1)
    factors[:, :3] += 1  # a hue is turned by its factor, the others are multiplied
    return Parameters(
        boxes=boxes,
        flip=chance(config.flip),
        jitter=chance(config.jitter),
        order=torch.rand(n, len(OPERATIONS), generator=generator).argsort(dim=1),
        factors=factors,
        grayscale=chance(config.grayscale),
    )


def augment(images: Tensor, parameters: Parameters) -> Tensor:
    """images float [n, C, H, W] in [0, 1], C = 3 or 1 -> [n, 3, H, W] in [0, 1]."""

    def here(tensor: Tensor) -> Tensor:
        return tensor.to(images.device, non_blocking=True)

    factors = here(parameters.factors)
    images = resized_crop(images, boxes=here(parameters.boxes), flip=here(parameters.flip))
    if images.shape[1] == 1:
        images = images.repeat(1, 3, 1, 1)
    for operation, members in parameters.turns():
        members = here(members)
        changed = OPERATIONS[operation](images.index_select(0, members), factors[members, operation])
        images.index_copy_(0, members, changed)
    members = here(torch.nonzero(parameters.grayscale)[:, 0])
    images.index_copy_(0, members, colour.grey(images.index_select(0, members)).expand(-1, 3, -1, -1))
    return images


def two_views(images: Tensor, *, config: Augment, seed: int, epoch: int, step: int) -> tuple[Tensor, Tensor]:
    """images uint8 [B, H, W, C] -> two normalised views, each [B, 3, H, W] in channels_last.

    The random numbers come from (seed, epoch, step) alone.
    """
    batch, height, width, _ = images.shape
    randomness = generator("augment", seed, epoch, step)
    parameters = draw(2 * batch, height=height, width=width, config=config, generator=randomness)
    views = normalise(augment(unit_range(images).repeat(2, 1, 1, 1), parameters))
    return views[:batch], views[batch:]


def unit_range(images: Tensor) -> Tensor:
    """uint8 [n, H, W, C] -> float [n, C, H, W] in [0, 1]."""
    return images.permute(0, 3, 1, 2).to(torch.float32).div_(255)


def normalise(images: Tensor) -> Tensor:
    """float [n, C, H, W] in [0, 1] -> [n, 3, H, W] in channels_last with FSCL's mean and deviation."""
    shape = (len(images), 3, *images.shape[2:])
    out = torch.empty(shape, device=images.device, memory_format=torch.channels_last)
    return torch.sub(images.expand(shape), MEAN, out=out).div_(STD)
