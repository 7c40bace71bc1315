"""Spherical K-means, which gives the prototypes their start (Eq. 2).

All restarts run side by side: each pass reads a chunk of the points once, while it is in the cache, for every restart.
The sums are matrix products, so that equal seeds give equal results on a GPU, too. Beside the points it keeps a cosine
for each point and restart; no [N, K] array is ever made.
"""

from collections.abc import Iterator

import torch
import torch.nn.functional as F
from torch import Tensor

CHUNK = 16384  # 8 MB of points at d = 128


def spherical_kmeans(
    points: Tensor, num_clusters: int, *, generator: torch.Generator, restarts: int = 5, iterations: int = 25
) -> Tensor:
    """The centroids [K, d] of the restart with the highest sum of cosines. points [N, d] of unit length, N >= K."""
    centroids = _seeds(points, num_clusters, restarts, generator)
    for _ in range(iterations):
        cosines, sums, counts = _sweep(points, centroids)
        moved = _move(points, centroids, cosines, sums, counts)
        if torch.equal(moved, centroids):
            break
        centroids = moved
    # A centroid is its points' sum over that sum's length, so the length is what their cosines add up to.
    return centroids[sums.norm(dim=2).sum(dim=1).argmax()]


def _chunks(size: int) -> Iterator[slice]:
    return (slice(start, start + CHUNK) for start in range(0, size, CHUNK))


def _seeds(points: Tensor, num_clusters: int, restarts: int, generator: torch.Generator) -> Tensor:
    """k-means++ for every restart, [R, K, d]: points are drawn by their squared distance to the nearest one so far.

    Drawn on the host, in float64: a cumulative sum is not deterministic on every device.
    """
    draws = torch.rand(num_clusters, restarts, dtype=torch.float64, generator=generator, device=generator.device).cpu()
    chosen = [points[(draws[0] * len(points)).long().to(points.device)]]
    distances = torch.full((restarts, len(points)), torch.inf, dtype=points.dtype, device=points.device)
    for draw in draws[1:]:
        for rows in _chunks(len(points)):
            # |x - c|^2 = 2 - 2 x.c between unit vectors
            squared = (2 - 2 * (chosen[-1] @ points[rows].T)).clamp_(min=0)
            distances[:, rows] = torch.minimum(distances[:, rows], squared)
        cumulative = distances.cpu().double().cumsum(dim=1)
        drawn = torch.searchsorted(cumulative, draw[:, None] * cumulative[:, -1:], right=True)
        chosen.append(points[drawn[:, 0].clamp_(max=len(points) - 1).to(points.device)])
    return torch.stack(chosen, dim=1)


def _sweep(points: Tensor, centroids: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Assign every point: the cosine to its centroid [R, N], and by cluster the sums [R, K, d] and counts [R, K]."""
    restarts, num_clusters, dim = centroids.shape
    cosines = points.new_empty(restarts, len(points))
    sums, counts = torch.zeros_like(centroids), torch.zeros_like(centroids[:, :, 0])
    buffer = points.new_empty(restarts * num_clusters, CHUNK)  # new memory for every chunk costs a fifth of the time
    for rows in _chunks(len(points)):
        chunk = points[rows]
        similarity = torch.mm(centroids.view(-1, dim), chunk.T, out=buffer[:, : len(chunk)])
        similarity = similarity.view(restarts, num_clusters, -1)
        best = similarity.amax(dim=1, keepdim=True)
        members = similarity.eq_(best)  # one-hot by cluster, and four times as fast as argmax
        if members.sum() > restarts * len(chunk):  # but for ties, which go to the first
            members *= members.bool().cumsum(dim=1) == 1
        cosines[:, rows] = best[:, 0]
        counts += members.sum(dim=2)
        sums.view(-1, dim).addmm_(members.flatten(0, 1), chunk)
    return cosines, sums, counts


def _move(points: Tensor, centroids: Tensor, cosines: Tensor, sums: Tensor, counts: Tensor) -> Tensor:
    """The normalised sums; the empty clusters of a restart begin anew at the points it serves worst."""
    # Points that cancel out have no mean direction: every centroid serves them alike, so the old one stays.
    moved = torch.where(sums.norm(dim=2, keepdim=True) > 0, F.normalize(sums, dim=2), centroids)
    for restart in (counts == 0).any(dim=1).nonzero()[:, 0].tolist():
        empty = (counts[restart] == 0).nonzero()[:, 0]
        moved[restart, empty] = points[cosines[restart].sort(stable=True).indices[: len(empty)]]
    return moved
