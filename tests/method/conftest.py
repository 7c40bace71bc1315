"""Batches, and the paper's formulas once more as plain loops over Python numbers."""

import math
from collections.abc import Callable
from typing import NamedTuple

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor


class Batch(NamedTuple):
    z: Tensor  # [n, d] float64, of unit length
    clusters: Tensor  # int64 [n]
    sensitive: Tensor  # int64 [n]


def random_batch(n: int, *, dim: int, clusters: int, groups: int, generator: torch.Generator) -> Batch:
    z = F.normalize(torch.randn(n, dim, dtype=torch.float64, generator=generator), dim=1)
    return Batch(
        z, torch.randint(clusters, (n,), generator=generator), torch.randint(groups, (n,), generator=generator)
    )


# (samples, dimension, clusters, groups, queue entries)
@pytest.fixture(
    params=[(12, 4, 2, 2, 9), (15, 3, 3, 3, 20), (10, 6, 4, 5, 7), (7, 2, 1, 2, 16), (9, 5, 9, 2, 5)],
    ids=lambda p: f"n{p[0]}-d{p[1]}-K{p[2]}-groups{p[3]}-Q{p[4]}",
)
def batch_and_queue(request: pytest.FixtureRequest) -> tuple[Batch, Batch]:
    n, dim, clusters, groups, size = request.param
    generator = torch.Generator().manual_seed(n)
    return (
        random_batch(n, dim=dim, clusters=clusters, groups=groups, generator=generator),
        random_batch(size, dim=dim, clusters=clusters, groups=groups, generator=generator),
    )


def mean_over_anchors(per_anchor: list[float]) -> float:
    return sum(per_anchor) / len(per_anchor) if per_anchor else 0.0


def dot(a: list[float], b: list[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


@pytest.fixture
def loop_within() -> Callable[..., float]:
    """Eq. 5 and 6, sum by sum."""

    def loss(batch: Batch, temperature: float) -> float:
        z, k, s = (column.tolist() for column in batch)
        anchors = []
        for i in range(len(z)):
            positives = [j for j in range(len(z)) if j != i and k[j] == k[i] and s[j] != s[i]]
            if not positives:
                continue
            denominator = 0.0
            for other in range(len(z)):
                if other != i:
                    denominator += math.exp(dot(z[i], z[other]) / temperature)
            total = 0.0
            for j in positives:
                total += math.log(math.exp(dot(z[i], z[j]) / temperature) / denominator)
            anchors.append(-total / len(positives))
        return mean_over_anchors(anchors)

    return loss


@pytest.fixture
def loop_cross() -> Callable[..., float]:
    """Eq. 7 and 8, sum by sum; `queue` has its filled entries only."""

    def loss(batch: Batch, queue: Batch, temperature: float) -> float:
        z, k, s = (column.tolist() for column in batch)
        queue_z, queue_k, queue_s = (column.tolist() for column in queue)
        anchors = []
        for i in range(len(z)):
            positives = [j for j in range(len(queue_z)) if queue_k[j] == k[i] and queue_s[j] != s[i]]
            if not positives:
                continue
            denominator = 0.0
            for other in range(len(queue_z)):
                denominator += math.exp(dot(z[i], queue_z[other]) / temperature)
            total = 0.0
            for j in positives:
                total += math.log(math.exp(dot(z[i], queue_z[j]) / temperature) / denominator)
            anchors.append(-total / len(positives))
        return mean_over_anchors(anchors)

    return loss
