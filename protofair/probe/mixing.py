"""How far the sensitive groups are mixed in an embedding: 1 is as mixed as chance, 0 is apart."""

from collections.abc import Mapping
from typing import Literal

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

Floats = NDArray[np.float64]
# Rows compared with all others at once: 512 x 20,000 distances are 41 MB.
BLOCK = 512


def nearest_neighbours(points: Tensor, *, neighbours: int, metric: Literal["cosine", "euclidean"]) -> Tensor:
    """The k nearest other points of each point, by number: [n, d] -> int64 [n, k]."""
    if not 0 < neighbours < len(points):
        raise ValueError(
            f"expected between 1 and {len(points) - 1} neighbours for {len(points)} points, got {neighbours}."
        )
    if metric == "cosine":
        points = F.normalize(points, dim=1)
    # |a - b|^2 = |a|^2 + |b|^2 - 2ab: the nearest b of an a have the largest ab - |b|^2 / 2.
    penalty = points.square().sum(dim=1) / 2
    nearest = []
    for start in range(0, len(points), BLOCK):
        block = points[start : start + BLOCK]
        closeness = torch.addmm(-penalty, block, points.T)
        itself = torch.arange(len(block), device=points.device)
        closeness[itself, start + itself] = -torch.inf
        nearest.append(closeness.topk(neighbours, dim=1).indices)
    return torch.cat(nearest)


class Mixing:
    """Share of the nearest neighbours from another group, over the share that random neighbours would have.

    A call takes weights [b, n] of the points and returns {"mixing": [b]}. Weights re-draw the points asked, not their
    neighbours: a point drawn twice would else become its own nearest neighbour. A single group gives NaN.
    """

    def __init__(self, nearest: Tensor, *, sensitive: NDArray[np.int64]) -> None:
        groups = np.bincount(sensitive)
        self.share: Floats = (sensitive[nearest.cpu().numpy()] != sensitive[:, None]).mean(axis=1)
        self.chance: Floats = (len(sensitive) - groups[sensitive]) / (len(sensitive) - 1)

    def __call__(self, weights: Floats) -> Mapping[str, Floats]:
        chance = weights @ self.chance
        with np.errstate(invalid="ignore"):
            return {"mixing": weights @ self.share / np.where(chance > 0, chance, np.nan)}
