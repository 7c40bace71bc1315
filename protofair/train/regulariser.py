"""The ProtoFair term in the training loop: what it clusters, which views it sees, when its prototypes start anew."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from protofair.method.protofair import ProtoFair
from protofair.objectives import Output
from protofair.train.batches import TrainingSet
from protofair.train.clusters import cluster_metrics, contingency, training_features
from protofair.train.config import Fair
from protofair.train.networks import CLUSTER_DIM, Labels, Networks
from protofair.train.randomness import generator


class Regulariser:
    """L_CF with its options, and the clusters met in the current epoch, counted by group and target."""

    def __init__(self, fair: Fair, networks: Networks, images: TrainingSet, device: torch.device) -> None:
        self.options, self.networks, self.images, self.device = fair, networks, images, device
        self.batch_size = networks.warmup.optimiser.batch_size
        self.target = networks.warmup.objective.attribute("target")
        spaces = {"head": CLUSTER_DIM, "contrastive": networks.objective.z_dim, "encoder": networks.encoder.feature_dim}
        self.views = 2 if fair.views == "both" else 1
        self.term = ProtoFair(
            fair.num_prototypes,
            networks.objective.z_dim,
            cluster_dim=spaces[fair.cluster_space],
            queue_size=fair.queue_batches * self.views * self.batch_size,
            temperature=fair.temperature,
            momentum=fair.momentum,
            update=fair.update,
            keep_queue=fair.queue_on_reinit == "keep",
        ).to(device)
        targets = images.classes[self.target] if self.target else 1
        self.shape = (fair.num_prototypes, images.classes[fair.sensitive], targets)
        self.table = torch.zeros(self.shape, dtype=torch.float64, device=device)

    def begin_epoch(self, epoch: int, pause: Callable[[], None]) -> dict[str, Any] | None:
        """Start counting; K-means in the first fair epoch and every R after it. Returns what it found, if it ran."""
        self.table.zero_()
        if (epoch - self.options.from_epoch - 1) % self.options.reinit_every:
            return None
        space = self.options.cluster_space
        features = training_features(
            self.networks, self.images, space=space, batch_size=2 * self.batch_size, pause=pause
        )
        self.term.initialise(features, generator=generator("kmeans", self.options.seed, epoch))
        labels = {attribute: values.to(self.device) for attribute, values in self.images.labels.items()}
        return cluster_metrics(self._count(self.term.assign(features), labels))

    def __call__(self, output: Output, labels: Labels) -> tuple[Tensor, dict[str, Tensor]]:
        """L_CF of a step, and its parts and counts. labels int64 [B] by attribute."""
        n = self.views * self.batch_size
        labels = {attribute: values.repeat(self.views) for attribute, values in labels.items()}
        features = self.networks.clustered(output, self.options.cluster_space)[:n]
        loss = self.term(output.z[:n], cluster_features=features, sensitive=labels[self.options.sensitive])
        statistics = dict(self.term.statistics())
        self.table += self._count(statistics.pop("clusters"), labels)
        del statistics["occupancy"]  # the table has it
        return loss, {"fair": loss.detach(), **statistics}

    def metrics(self) -> dict[str, Any]:
        """The clusters met in this epoch so far."""
        return cluster_metrics(self.table)

    def _count(self, clusters: Tensor, labels: Labels) -> Tensor:
        target = labels[self.target] if self.target else torch.zeros_like(clusters)
        return contingency(clusters, sensitive=labels[self.options.sensitive], target=target, shape=self.shape)
