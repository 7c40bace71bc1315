"""SimCLR (Chen et al. 2020): two views of an image attract each other."""

from typing import Literal

from torch import Tensor

from protofair.objectives.contrast import Contrastive, ContrastiveOptions, averaged, other_view, others, pair_loss
from protofair.objectives.encoder import Encoder


def simclr_loss(z: Tensor, *, temperature: float) -> Tensor:
    """z [2B, d] L2-normalised, row i and i + B views of one image; a scalar. NT-Xent times temperature / 0.07."""
    return pair_loss(z, weights=averaged(other_view(z)), denominator=others(z), temperature=temperature)


class SimCLRConfig(ContrastiveOptions):
    name: Literal["simclr"] = "simclr"

    def build(self, encoder: Encoder) -> "SimCLR":
        return SimCLR(encoder, config=self)


class SimCLR(Contrastive):
    def loss(self, z: Tensor, *, target: Tensor | None, sensitive: Tensor | None) -> Tensor:
        return simclr_loss(z, temperature=self.temperature)
