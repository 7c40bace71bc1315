"""ProtoFair as a module to add to a training loop."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from protofair.method.checks import check_batch, check_directions, check_features, check_unit_length
from protofair.method.kmeans import spherical_kmeans
from protofair.method.losses import cross_batch_loss, within_batch_loss
from protofair.method.pairs import batch_positives, queue_positives
from protofair.method.prototypes import assign, membership, momentum_update
from protofair.method.queue import Queue


class ProtoFair(nn.Module):
    """The regulariser L_CF of Eq. 9: pulls together samples of the same cluster and different sensitive groups.

    Train for some epochs without it, then cluster the training set and add it to the loss:

        fair = ProtoFair(num_prototypes=10, dim=128)
        fair.initialise(cluster_features_of_the_training_set)           # again every few epochs
        for ...:
            loss = ssl_loss + 0.3 * fair(z, cluster_features=h, sensitive=s)

    It has buffers and no parameters: gradients reach only `z`. In eval mode it keeps its state as it is.

    Args:
        num_prototypes: K, the number of clusters.
        dim: dimension of `z`.
        cluster_dim: dimension of the cluster features, `dim` if not given.
        queue_size: samples the queue holds; the default is four batches of two views of 128 images.
        temperature: tau of Eq. 6 and 8.
        momentum: m of Eq. 3.
        update: whether the prototypes follow a batch after or before it is assigned to them.
        keep_queue: keep the queue when the prototypes are initialised again, although its cluster ids are then stale.
        validate: check the values of every call, not only of the first; each check waits for the device.
    """

    prototypes: Tensor

    def __init__(
        self,
        num_prototypes: int,
        dim: int,
        *,
        cluster_dim: int | None = None,
        queue_size: int = 1024,
        temperature: float = 0.07,
        momentum: float = 0.9,
        update: Literal["after", "before"] = "after",
        keep_queue: bool = False,
        validate: bool = False,
    ) -> None:
        super().__init__()
        cluster_dim = dim if cluster_dim is None else cluster_dim
        for name, size in {
            "num_prototypes": num_prototypes,
            "dim": dim,
            "cluster_dim": cluster_dim,
            "queue_size": queue_size,
        }.items():
            if size < 1:
                raise ValueError(f"{name}: expected at least 1, got {size}.")
        if not temperature > 0:
            raise ValueError(f"temperature: expected above 0, got {temperature}.")
        if not 0 <= momentum < 1:
            raise ValueError(f"momentum: expected in [0, 1), got {momentum}.")
        if update not in ("after", "before"):
            raise ValueError(f"update: expected 'after' or 'before', got {update!r}.")
        self.temperature, self.momentum, self.update = temperature, momentum, update
        self.keep_queue, self.validate = keep_queue, validate
        self.dim = dim
        self.register_buffer("prototypes", torch.zeros(num_prototypes, cluster_dim))
        self.queue = Queue(queue_size, dim)
        self._values_checked = False
        self._statistics: dict[str, Tensor] = {}
        self.register_load_state_dict_post_hook(_check_values_again)

    @torch.no_grad()
    def initialise(self, cluster_features: Tensor, *, generator: torch.Generator | None = None) -> None:
        """Eq. 2: K-means over the cluster features of the whole training set, [N, cluster_dim], on any device.

        Without a generator the seed is 0; the global random state is never touched.
        """
        check_features("cluster_features", cluster_features, self.prototypes.shape[1])
        if len(cluster_features) < len(self.prototypes):
            raise ValueError(
                f"cluster_features: expected at least one sample for each of the {len(self.prototypes)} prototypes, "
                f"got {len(cluster_features)}."
            )
        check_directions("cluster_features", cluster_features)
        if generator is None:
            generator = torch.Generator().manual_seed(0)
        with _full_precision(cluster_features.device):
            points = self._directions(cluster_features)
            self.prototypes.copy_(spherical_kmeans(points, len(self.prototypes), generator=generator))
        if not self.keep_queue:
            self.queue.clear()
        self._values_checked = False

    def forward(self, z: Tensor, *, cluster_features: Tensor, sensitive: Tensor) -> Tensor:
        """L_CF of a batch, then the step of prototypes and queue.

        z [n, dim] of unit length, with its graph; cluster_features [n, cluster_dim] of any length, used without theirs;
        sensitive [n], the integer id of each sample's group. With two views n = 2B, and `sensitive` is repeated. -> []
        """
        check_batch(z, cluster_features, sensitive, self.prototypes, dim=self.dim)
        if self.validate or not self._values_checked:
            self._check_values(z, cluster_features)
        with _full_precision(z.device):
            features, sensitive = self._directions(cluster_features), sensitive.long()
            if self.training and self.update == "before":
                self._follow(features, assign(features, self._wide(self.prototypes)))
            clusters = assign(features, self._wide(self.prototypes))
            loss = self._loss(z.to(torch.promote_types(z.dtype, torch.float32)), clusters, sensitive)
            if self.training and self.update == "after":
                self._follow(features, clusters)
            if self.training:
                self.queue.enqueue(z, clusters, sensitive)
        return loss

    @torch.no_grad()
    def assign(self, cluster_features: Tensor) -> Tensor:
        """Eq. 4: the cluster of each sample. [n, cluster_dim] of any length -> int64 [n]. Waits for the device."""
        check_features("cluster_features", cluster_features, self.prototypes.shape[1])
        self._check_initialised()
        check_directions("cluster_features", cluster_features)
        with _full_precision(cluster_features.device):
            return assign(self._directions(cluster_features), self._wide(self.prototypes))

    def statistics(self) -> dict[str, Tensor]:
        """The last step in numbers, as detached tensors on its device: reading them is what waits, so do it rarely.

        within, cross: the two losses; pairs_within, pairs_queue: positive pairs (i, j) found; anchors_within,
        anchors_queue: samples with at least one, out of n; occupancy [K]: samples by cluster; clusters [n]: the cluster
        of each sample; queue_fill: entries the batch was compared with.
        """
        return self._statistics

    def _loss(self, z: Tensor, clusters: Tensor, sensitive: Tensor) -> Tensor:
        """Eq. 9: L_within + L_cross."""
        queue, filled = self.queue, self.queue.filled()
        positives = batch_positives(clusters, sensitive)
        past_positives = queue_positives(
            clusters, sensitive, queue_clusters=queue.clusters, queue_sensitive=queue.sensitive, filled=filled
        )
        within = within_batch_loss(z, positives=positives, temperature=self.temperature)
        cross = cross_batch_loss(
            z,
            queue=queue.features.to(z.dtype, copy=True),  # the backward pass comes after the queue has moved on
            positives=past_positives,
            filled=filled,
            temperature=self.temperature,
        )
        self._statistics = {
            "within": within.detach(),
            "cross": cross.detach(),
            "pairs_within": positives.sum(),
            "pairs_queue": past_positives.sum(),
            "anchors_within": positives.any(dim=1).sum(),
            "anchors_queue": past_positives.any(dim=1).sum(),
            "occupancy": membership(clusters, len(self.prototypes)).sum(dim=0),
            "clusters": clusters,
            "queue_fill": queue.fill.clone(),
        }
        return within + cross

    def _follow(self, features: Tensor, clusters: Tensor) -> None:
        prototypes = self._wide(self.prototypes)
        self.prototypes.copy_(momentum_update(prototypes, features, clusters, momentum=self.momentum))

    def _directions(self, cluster_features: Tensor) -> Tensor:
        """The normalised features of Eq. 2, cut from their graph: no gradient ever reaches the cluster head.

        A row that overflowed, as one may under a gradient scaler, becomes 0: NaN would stay in the prototypes.
        """
        return F.normalize(self._wide(cluster_features.detach()), dim=1).nan_to_num(0, 0, 0)

    def _wide(self, tensor: Tensor) -> Tensor:
        """Clusters are computed in float32 at least."""
        return tensor.to(torch.promote_types(self.prototypes.dtype, torch.float32))

    def _check_initialised(self) -> None:
        if not self.prototypes.any():
            raise ValueError("expected prototypes: call initialise(cluster_features) before the first step.")

    def _check_values(self, z: Tensor, cluster_features: Tensor) -> None:
        self._check_initialised()
        check_directions("z", z)
        check_unit_length("z", z)
        check_directions("cluster_features", cluster_features)
        self._values_checked = True


def _check_values_again(module: ProtoFair, _: Any) -> None:
    """A loaded state may be one of before `initialise`."""
    module._values_checked = False


def _full_precision(device: torch.device) -> AbstractContextManager[Any]:
    """No autocast in here: bfloat16 rounds similarities by up to 0.002, and a temperature of 0.07 magnifies that."""
    if torch.amp.is_autocast_available(device.type):
        return torch.autocast(device.type, enabled=False)
    return nullcontext()
