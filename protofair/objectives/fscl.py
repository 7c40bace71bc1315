"""FSCL, FSCL+ and FSCL* (Park et al. 2022): contrast within a sensitive group, so that the group cannot help."""

from typing import Literal

from torch import Tensor

from protofair.objectives.contrast import Contrastive, ContrastiveOptions, averaged, other_view, others, pair_loss, same
from protofair.objectives.encoder import Encoder
from protofair.objectives.objective import both_views


def fscl_loss(z: Tensor, *, target: Tensor, sensitive: Tensor, temperature: float) -> Tensor:
    """z [n, d] L2-normalised, labels int [n]; a scalar.

    Positives share the target. The denominator has another target and the same sensitive value, so no positives.
    """
    return pair_loss(
        z,
        weights=averaged(same(target) & others(z)),
        denominator=~same(target) & same(sensitive),
        temperature=temperature,
    )


def fscl_plus_loss(z: Tensor, *, target: Tensor, sensitive: Tensor, temperature: float) -> Tensor:
    """FSCL with group normalisation: shapes as in `fscl_loss`; each row has another of its target and sensitive value.

    With n_j the number of others in j's group: a positive j is divided by n_j, positives are summed, and the loss of
    anchor i is multiplied by (n / 8) / (n_i + 1).
    """
    group = (same(target) & same(sensitive)).sum(dim=1)  # n_j + 1
    per_positive = (same(target) & others(z)) / (group - 1)
    return pair_loss(
        z,
        weights=per_positive * (len(z) / 8) / group[:, None],
        denominator=~same(target) & same(sensitive),
        temperature=temperature,
    )


def fscl_star_loss(z: Tensor, *, sensitive: Tensor, temperature: float) -> Tensor:
    """FSCL without target labels: z [2B, d] L2-normalised, row i and i + B views of one image, sensitive int [2B].

    The positive is the other view; the denominator is all others of the same sensitive value, the positive included.
    """
    return pair_loss(
        z,
        weights=averaged(other_view(z)),
        denominator=same(sensitive) & others(z),
        temperature=temperature,
    )


class FSCLConfig(ContrastiveOptions):
    name: Literal["fscl"] = "fscl"
    target: str
    sensitive: str

    def build(self, encoder: Encoder) -> "FSCL":
        return FSCL(encoder, config=self)


class FSCLPlusConfig(ContrastiveOptions):
    name: Literal["fscl-plus"] = "fscl-plus"
    target: str
    sensitive: str

    def build(self, encoder: Encoder) -> "FSCLPlus":
        return FSCLPlus(encoder, config=self)


class FSCLStarConfig(ContrastiveOptions):
    name: Literal["fscl-star"] = "fscl-star"
    sensitive: str

    def build(self, encoder: Encoder) -> "FSCLStar":
        return FSCLStar(encoder, config=self)


class FSCL(Contrastive):
    needs_target = True
    needs_sensitive = True

    def loss(self, z: Tensor, *, target: Tensor | None, sensitive: Tensor | None) -> Tensor:
        target, sensitive = both_views(target), both_views(sensitive)
        return fscl_loss(z, target=target, sensitive=sensitive, temperature=self.temperature)


class FSCLPlus(Contrastive):
    needs_target = True
    needs_sensitive = True

    def loss(self, z: Tensor, *, target: Tensor | None, sensitive: Tensor | None) -> Tensor:
        target, sensitive = both_views(target), both_views(sensitive)
        return fscl_plus_loss(z, target=target, sensitive=sensitive, temperature=self.temperature)


class FSCLStar(Contrastive):
    needs_sensitive = True

    def loss(self, z: Tensor, *, target: Tensor | None, sensitive: Tensor | None) -> Tensor:
        return fscl_star_loss(z, sensitive=both_views(sensitive), temperature=self.temperature)
