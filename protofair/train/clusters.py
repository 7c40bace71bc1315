"""The clusters of the fair phase: features of the whole training set, and what clusters tell of groups and targets."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from protofair.method.prototypes import membership
from protofair.train.augment import normalise, unit_range
from protofair.train.batches import TrainingSet
from protofair.train.networks import Networks, Space


def training_features(
    networks: Networks, images: TrainingSet, *, space: Space, batch_size: int, pause: Callable[[], None]
) -> Tensor:
    """The features [N, .] that K-means clusters (Eq. 2): of the whole training set, un-augmented, in eval mode.

    `pause` is called before each batch: a place where the run may stop.
    """
    device = next(networks.parameters()).device
    features = []
    networks.eval()
    for batch in images.in_order(batch_size=batch_size, device=device):
        pause()
        view = normalise(unit_range(batch.images))
        features.append(networks.clustered_images(view, batch.labels, space))
    networks.train()
    return torch.cat(features)


def contingency(clusters: Tensor, *, sensitive: Tensor, target: Tensor, shape: tuple[int, int, int]) -> Tensor:
    """Counts of samples by cluster, sensitive group and target, float64 [K, S, T], of labels int64 [n].

    A matrix product instead of a histogram: deterministic on every device, and nothing waits for it.
    """
    num_clusters, groups, targets = shape
    members = membership(clusters, num_clusters).double()
    cells = membership(sensitive * targets + target, groups * targets).double()
    return (members.T @ cells).view(shape)


def cluster_metrics(table: Tensor) -> dict[str, Any]:
    """What counts [K, S, T] say:

    occupancy         share of the samples in each cluster
    sensitive_purity  share of the samples that are of their cluster's largest group; `_chance`: in one big cluster
    group_shares      for each cluster, the share of each group
    pair_purity       of the pairs of one cluster and two groups, the share of one target; None without targets or pairs
    """
    table = table.cpu()
    total = table.sum()
    by_cluster, by_group = table.sum(dim=(1, 2)), table.sum(dim=2)
    pairs = by_cluster.square().sum() - by_group.square().sum()
    same_target = table.sum(dim=1).square().sum() - table.square().sum()
    known = table.shape[2] > 1 and bool(pairs > 0)
    return {
        "occupancy": _rounded(by_cluster / total),
        "sensitive_purity": _rounded(by_group.amax(dim=1).sum() / total),
        "sensitive_purity_chance": _rounded(by_group.sum(dim=0).amax() / total),
        "group_shares": _rounded(by_group / by_cluster.clamp(min=1)[:, None]),
        "pair_purity": _rounded(same_target / pairs) if known else None,
    }


def _rounded(values: Tensor) -> Any:
    return torch.round(values, decimals=6).tolist()
