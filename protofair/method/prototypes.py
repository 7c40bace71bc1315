"""Cluster prototypes: hard assignment and the moving average that follows the encoder. All vectors have unit length."""

import torch
import torch.nn.functional as F
from torch import Tensor


def assign(features: Tensor, prototypes: Tensor) -> Tensor:
    """Eq. 4: the nearest prototype by cosine. features [n, d], prototypes [K, d] -> int64 [n]."""
    return (features @ prototypes.T).argmax(dim=1)


def membership(clusters: Tensor, num_prototypes: int) -> Tensor:
    """One-hot assignments, int64 [n] -> bool [n, K]."""
    return clusters[:, None] == torch.arange(num_prototypes, device=clusters.device)


def momentum_update(prototypes: Tensor, features: Tensor, clusters: Tensor, *, momentum: float) -> Tensor:
    """Eq. 3: prototypes [K, d] moved towards the mean of their samples; those without a sample stay as they are.

    features [n, d], clusters int64 [n]. The sums are a matrix product, which is deterministic on every device.
    """
    members = membership(clusters, len(prototypes)).to(features.dtype)
    counts = members.sum(dim=0)[:, None]
    means = members.T @ features / counts.clamp(min=1)
    moved = F.normalize(momentum * prototypes + (1 - momentum) * means, dim=1)
    return torch.where(counts > 0, moved, prototypes)
