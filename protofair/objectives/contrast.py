"""What SupCon, SimCLR and FSCL share: one loss over pairs of the 2B features, which they weigh and mask differently."""

from abc import abstractmethod

import torch
import torch.nn.functional as F
from pydantic import Field
from torch import Tensor

from protofair.objectives.encoder import Encoder
from protofair.objectives.heads import projection_head
from protofair.objectives.objective import Objective, Options, Output

BASE_TEMPERATURE = 0.07  # SupContrast scales its losses by temperature / base temperature; FSCL inherits it


def pair_loss(z: Tensor, *, weights: Tensor, denominator: Tensor, temperature: float) -> Tensor:
    """Mean over anchors i of -(tau / 0.07) sum_j w_ij [s_ij - log sum_{k in denominator of i} exp s_ik], a scalar.

    z [n, d] L2-normalised, s = z z^T / tau; weights [n, n] of the positive pairs, 0 elsewhere; denominator bool [n, n].
    Each row of s is taken relative to its maximum, which cancels, except that the log of an empty denominator counts as
    0, as in FSCL's code. Computed in float32, under autocast too.
    """
    with torch.autocast(z.device.type, enabled=False):
        z = z.float()
        similarities = z @ z.T / temperature
        similarities = similarities - similarities.detach().amax(dim=1, keepdim=True)
        log_denominator = similarities.masked_fill(~denominator, -torch.inf).logsumexp(dim=1)
        log_denominator = log_denominator.where(denominator.any(dim=1), 0)
        log_ratios = similarities - log_denominator[:, None]
        return -(temperature / BASE_TEMPERATURE) * (weights * log_ratios).sum(dim=1).mean()


def averaged(positives: Tensor) -> Tensor:
    """Weights [n, n] that average over each anchor's positives, bool [n, n]; an anchor without any has zeros."""
    return positives / positives.sum(dim=1, keepdim=True).clamp(min=1)


def others(z: Tensor) -> Tensor:
    """Pairs of different rows, bool [n, n]."""
    return ~torch.eye(len(z), dtype=torch.bool, device=z.device)


def other_view(z: Tensor) -> Tensor:
    """Pairs of two views of the same image, bool [2B, 2B]: row i with row i + B."""
    image = torch.arange(len(z) // 2, device=z.device).repeat(2)
    return same(image) & others(z)


def same(label: Tensor) -> Tensor:
    """Pairs of equal labels, bool [n, n], from labels [n]."""
    return label[:, None] == label[None, :]


class ContrastiveOptions(Options):
    temperature: float = Field(default=0.1, gt=0)


class Contrastive(Objective):
    """Both views in one pass through the encoder and the contrastive head g, and a loss on the 2B outputs."""

    z_dim = 128

    def __init__(self, encoder: Encoder, *, config: ContrastiveOptions) -> None:
        super().__init__()
        self.temperature = config.temperature
        self.head = projection_head(encoder.feature_dim, encoder.feature_dim, self.z_dim)

    def forward(
        self,
        encoder: Encoder,
        views: tuple[Tensor, Tensor],
        *,
        target: Tensor | None = None,
        sensitive: Tensor | None = None,
    ) -> Output:
        features = encoder(torch.cat(views))
        z = F.normalize(self.head(features).float(), dim=1)
        return Output(self.loss(z, target=target, sensitive=sensitive), features, z)

    @abstractmethod
    def loss(self, z: Tensor, *, target: Tensor | None, sensitive: Tensor | None) -> Tensor:
        """z [2B, d], labels int [B]; a scalar."""
