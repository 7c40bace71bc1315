"""torchvision's colour operations, with a factor of its own for every image.

images float [n, 3, H, W] in [0, 1], factor float [n] -> [n, 3, H, W] in [0, 1].
"""

import torch
from torch import Tensor


def grey(images: Tensor) -> Tensor:
    """Luma, [n, 1, H, W]."""
    red, green, blue = images.split(1, dim=1)
    return (red * 0.2989).add_(green, alpha=0.587).add_(blue, alpha=0.114)


def brightness(images: Tensor, factor: Tensor) -> Tensor:
    return (images * _of_image(factor)).clamp_(0, 1)


def contrast(images: Tensor, factor: Tensor) -> Tensor:
    """Away from the image's mean luma."""
    return torch.lerp(grey(images).mean(dim=(1, 2, 3), keepdim=True), images, _of_image(factor)).clamp_(0, 1)


def saturation(images: Tensor, factor: Tensor) -> Tensor:
    """Away from each pixel's luma."""
    return torch.lerp(grey(images), images, _of_image(factor)).clamp_(0, 1)


def hue(images: Tensor, factor: Tensor) -> Tensor:
    """Turn the hue by `factor` of a full circle; a pixel's largest and smallest channel values stay what they are.

    In the hexagon of HSV, with the hue in sixths of a circle, a channel is top - chroma x clamp(2 - d, 0, 1), where d
    is the distance along the circle to the hue at which the channel is smallest: 3 for red, 5 for green, 1 for blue.
    """
    red, green, blue = images.unbind(dim=1)
    top = torch.maximum(torch.maximum(red, green), blue)
    chroma = top - torch.minimum(torch.minimum(red, green), blue)
    per_chroma = chroma.clamp(min=1e-12).reciprocal_()  # of a grey pixel any hue will do: its chroma is 0
    angle = torch.where(
        top == red,
        (green - blue).mul_(per_chroma),
        torch.where(top == green, (blue - red).mul_(per_chroma).add_(2), (red - green).mul_(per_chroma).add_(4)),
    )
    angle = angle.div_(6).add_(factor[:, None, None])  # in full circles
    turned = torch.empty_like(images)
    for channel, smallest_at in enumerate((3 / 6, 5 / 6, 1 / 6)):
        away = angle - smallest_at
        away.sub_(away.round()).abs_()  # the short way around
        share = away.mul_(-6).add_(2).clamp_(0, 1)
        torch.addcmul(top, share, chroma, value=-1, out=turned[:, channel])
    return turned


def _of_image(factor: Tensor) -> Tensor:
    return factor[:, None, None, None]
