"""Pseudo-counterfactual pairs: same cluster, another sensitive group."""

from torch import Tensor


def batch_positives(clusters: Tensor, sensitive: Tensor) -> Tensor:
    """Eq. 5: P_i inside the batch. clusters, sensitive int [n] -> bool [n, n]; symmetric.

    j != i needs no test of its own: a sample is never of another group than itself.
    """
    return _same(clusters, clusters) & ~_same(sensitive, sensitive)


def queue_positives(
    clusters: Tensor, sensitive: Tensor, *, queue_clusters: Tensor, queue_sensitive: Tensor, filled: Tensor
) -> Tensor:
    """Eq. 7: P_i^q in the queue. clusters, sensitive int [n]; queue_* int [Q], filled bool [Q] -> bool [n, Q]."""
    return _same(clusters, queue_clusters) & ~_same(sensitive, queue_sensitive) & filled


def _same(left: Tensor, right: Tensor) -> Tensor:
    return left[:, None] == right[None, :]
