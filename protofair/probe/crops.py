"""Augmented crops for `augment: true`: FSCL's probe sees a new crop of every training image in every epoch."""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

# The one piece of training that a probe shares: cropping has to be the same in both.
from protofair.core.crop import random_boxes, resized_crop

SCALE = (0.2, 1.0)
RATIO = (3 / 4, 4 / 3)


def random_crops(*, seed: int, epoch: int) -> Callable[[Tensor, int], Tensor]:
    """RandomResizedCrop and flip of a batch [b, C, H, W] at its own size, from (seed, epoch, batch) alone."""

    def crop(images: Tensor, batch: int) -> Tensor:
        state = np.random.SeedSequence([seed, epoch, batch]).generate_state(1, np.uint64)
        generator = torch.Generator().manual_seed(int(state[0]))
        height, width = images.shape[-2:]
        boxes = random_boxes(len(images), height=height, width=width, scale=SCALE, ratio=RATIO, generator=generator)
        flip = torch.rand(len(images), generator=generator) < 0.5
        return resized_crop(images, boxes=boxes.to(images.device), flip=flip.to(images.device))

    return crop
