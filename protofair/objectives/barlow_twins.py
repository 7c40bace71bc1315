"""BarlowTwins (Zbontar et al. 2021): the features of two views correlate one to one, and not with each other."""

from typing import Literal

import torch
import torch.nn.functional as F
from pydantic import Field
from torch import Tensor

from protofair.objectives.encoder import Encoder
from protofair.objectives.heads import batchnorm_head
from protofair.objectives.objective import Objective, Options, Output


def cross_correlation(first: Tensor, second: Tensor) -> Tensor:
    """Correlation over the batch of each feature of one view with each of the other: twice [B, d] to float32 [d, d]."""
    with torch.autocast(first.device.type, enabled=False):
        first, second = (F.batch_norm(view.float(), None, None, training=True) for view in (first, second))
        return first.T @ second / len(first)


def barlow_twins_terms(correlation: Tensor) -> tuple[Tensor, Tensor]:
    """Invariance, sum_i (1 - c_ii)^2, and redundancy, sum_{i != j} c_ij^2, of a correlation [d, d]; two scalars."""
    diagonal = correlation.diagonal()
    return (1 - diagonal).square().sum(), (correlation - diagonal.diag()).square().sum()


class BarlowTwinsConfig(Options):
    name: Literal["barlow-twins"] = "barlow-twins"
    width: int = Field(default=2048, gt=0)  # of the projector's three layers
    off_diagonal_weight: float = Field(default=0.0051, ge=0)
    scale: float = Field(default=0.024, gt=0)  # of the whole loss: unscaled it diverges at the paper's rate of 0.1

    def build(self, encoder: Encoder) -> "BarlowTwins":
        return BarlowTwins(encoder, config=self)


class BarlowTwins(Objective):
    """Views pass encoder and projector one after the other: batch norm sees one view at a time, as in the original."""

    def __init__(self, encoder: Encoder, *, config: BarlowTwinsConfig) -> None:
        super().__init__()
        self.config = config
        self.z_dim = config.width
        self.projector = batchnorm_head(encoder.feature_dim, config.width, config.width, config.width)

    def forward(
        self,
        encoder: Encoder,
        views: tuple[Tensor, Tensor],
        *,
        target: Tensor | None = None,
        sensitive: Tensor | None = None,
    ) -> Output:
        features = [encoder(view) for view in views]
        first, second = (self.projector(feature) for feature in features)
        invariance, redundancy = barlow_twins_terms(cross_correlation(first, second))
        loss = self.config.scale * (invariance + self.config.off_diagonal_weight * redundancy)
        z = F.normalize(torch.cat([first, second]).float(), dim=1)
        terms = {"invariance": invariance.detach(), "redundancy": redundancy.detach()}
        return Output(loss, torch.cat(features), z, terms)
