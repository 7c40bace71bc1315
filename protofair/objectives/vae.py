"""The encoder of FD-VAE (Park et al. 2021): a small convolutional one whose latent space has three blocks."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from protofair.objectives.heads import projection_head

BLOCK = 20  # dimensions each of what tells the target, what tells both attributes, what tells the protected one
MUTUAL_SHARE = 0.05


class VAEEncoder(nn.Module):
    """Images [n, 3, H, W], seen at size x size, to the fair representation [n, 20]: the target block and a little of
    what a filter lets through of the mutual one."""

    def __init__(self, *, size: int, width: int) -> None:
        super().__init__()
        self.size, self.width = size, width
        layers: list[nn.Module] = []
        for before, after in ((3, width), (width, width), (width, 2 * width), (2 * width, 2 * width)):
            layers += [nn.Conv2d(before, after, 4, stride=2, padding=1), nn.ReLU(inplace=True)]
        inner = 2 * width * (size // 16) ** 2
        self.latent = nn.Sequential(
            *layers, nn.Flatten(), nn.Linear(inner, 256), nn.ReLU(inplace=True), nn.Linear(256, 6 * BLOCK)
        )
        self.filter = projection_head(BLOCK, BLOCK, BLOCK)

    def resized(self, images: Tensor) -> Tensor:
        """The images as the encoder sees them, [n, 3, size, size]."""
        if images.shape[-2:] == (self.size, self.size):
            return images
        return F.interpolate(images, size=(self.size, self.size), mode="bilinear", antialias=True)

    def moments(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and logarithm of the variance of the latent code, [n, 60] each; images as `resized` gives them."""
        mean, log_variance = self.latent(images).float().chunk(2, dim=1)
        return mean, log_variance

    def represent(self, mean: Tensor) -> tuple[Tensor, Tensor]:
        """The fair representation and the filtered mutual block in it, [n, 20] each, of mean codes [n, 60]."""
        target, mutual, _ = mean.split(BLOCK, dim=1)
        filtered = self.filter(mutual)
        return target + MUTUAL_SHARE * filtered, filtered

    def forward(self, images: Tensor) -> Tensor:
        mean, _ = self.moments(self.resized(images))
        return self.represent(mean)[0]


def sample(mean: Tensor, log_variance: Tensor, *, generator: torch.Generator) -> Tensor:
    """A code [n, 60] from the normal distribution with these moments; drawn on the CPU, the same on every device."""
    noise = torch.randn(mean.shape, generator=generator)
    return mean + (log_variance / 2).exp() * noise.to(mean.device, non_blocking=True)
