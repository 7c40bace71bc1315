"""RandomResizedCrop and horizontal flip, with a box and a coin of its own for every image of a batch."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

ATTEMPTS = 10  # torchvision's: boxes that do not fit are drawn again, then the central crop is taken


def random_boxes(
    n: int,
    *,
    height: int,
    width: int,
    scale: tuple[float, float],
    ratio: tuple[float, float],
    generator: torch.Generator,
) -> Tensor:
    """Boxes distributed as torchvision's, int64 [n, 4]: top, left, height, width."""
    area = height * width * _uniform(scale, (n, ATTEMPTS), generator)
    aspect = _uniform((math.log(ratio[0]), math.log(ratio[1])), (n, ATTEMPTS), generator).exp()
    heights, widths = (area / aspect).sqrt().round().long(), (area * aspect).sqrt().round().long()
    fits = (heights > 0) & (heights <= height) & (widths > 0) & (widths <= width)
    first = fits.int().argmax(dim=1, keepdim=True)
    central = _central_size(height, width, ratio)
    any_fits = fits.any(dim=1)
    h = heights.gather(1, first)[:, 0].where(any_fits, torch.tensor(central[0]))
    w = widths.gather(1, first)[:, 0].where(any_fits, torch.tensor(central[1]))
    place = torch.rand(n, 2, generator=generator, dtype=torch.float64)
    top = (place[:, 0] * (height - h + 1)).long().where(any_fits, (height - h) // 2)
    left = (place[:, 1] * (width - w + 1)).long().where(any_fits, (width - w) // 2)
    return torch.stack([top, left, h, w], dim=1)


def resized_crop(images: Tensor, *, boxes: Tensor, flip: Tensor) -> Tensor:
    """Cut a box out of each image, enlarge it to the image's size (bilinear) and mirror it where `flip`.

    images float [n, C, H, W], boxes int64 [n, 4], flip bool [n] -> [n, C, H, W]. A box is never larger than the result,
    so there is nothing to antialias. As in torchvision, which crops first, pixels outside the box play no part.
    """
    height, width = images.shape[-2:]
    top, left, h, w = boxes.to(images.dtype)[:, :, None].unbind(dim=1)
    y = top + _sources(height, h, images)
    x = left + _sources(width, w, images)
    x = torch.where(flip[:, None], x.flip(1), x)
    y, x = (2 * y + 1) / height - 1, (2 * x + 1) / width - 1  # what grid_sample calls the centres of pixels
    shape = (len(images), height, width)
    grid = torch.stack([x[:, None, :].expand(shape), y[:, :, None].expand(shape)], dim=3)
    return F.grid_sample(images, grid, mode="bilinear", padding_mode="border", align_corners=False)


def _sources(size: int, box: Tensor, like: Tensor) -> Tensor:
    """Where in a box of length `box` [n, 1] each of `size` pixels is read, [n, size]; not beyond its outer centres."""
    centres = torch.arange(size, device=like.device, dtype=like.dtype) + 0.5
    places = centres * box / size - 0.5
    return torch.minimum(places.clamp(min=0), box - 1)


def _uniform(bounds: tuple[float, float], shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
    low, high = bounds
    return low + (high - low) * torch.rand(shape, generator=generator, dtype=torch.float64)


def _central_size(height: int, width: int, ratio: tuple[float, float]) -> tuple[int, int]:
    """Height and width of the largest box of an allowed ratio."""
    if width / height < ratio[0]:
        return min(height, round(width / ratio[0])), width
    if width / height > ratio[1]:
        return height, round(height * ratio[1])
    return height, width
