"""SupCon (Khosla et al. 2020): features of the same target attract each other."""

from typing import Literal

from torch import Tensor

from protofair.objectives.contrast import Contrastive, ContrastiveOptions, averaged, others, pair_loss, same
from protofair.objectives.encoder import Encoder
from protofair.objectives.objective import both_views


def supcon_loss(z: Tensor, *, target: Tensor, temperature: float) -> Tensor:
    """z [n, d] L2-normalised, target int [n]; a scalar. Positives share the target; the denominator is all others."""
    rest = others(z)
    return pair_loss(z, weights=averaged(same(target) & rest), denominator=rest, temperature=temperature)


class SupConConfig(ContrastiveOptions):
    name: Literal["supcon"] = "supcon"
    target: str

    def build(self, encoder: Encoder) -> "SupCon":
        return SupCon(encoder, config=self)


class SupCon(Contrastive):
    needs_target = True

    def loss(self, z: Tensor, *, target: Tensor | None, sensitive: Tensor | None) -> Tensor:
        return supcon_loss(z, target=both_views(target), temperature=self.temperature)
