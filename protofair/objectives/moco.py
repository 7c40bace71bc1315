"""MoCo v2 (He et al. 2020, Chen et al. 2020): tell an image's key from a queue of other images' keys."""

from typing import Literal

import torch
import torch.nn.functional as F
from pydantic import Field
from torch import Tensor

from protofair.objectives.encoder import Encoder
from protofair.objectives.heads import projection_head
from protofair.objectives.momentum import follow, follower
from protofair.objectives.objective import Objective, Options, Output


def moco_loss(query: Tensor, key: Tensor, queue: Tensor, *, temperature: float) -> Tensor:
    """Cross-entropy of a query's own key against the queue, a scalar.

    query, key [B, d] and queue [Q, d] L2-normalised. Computed in float32, under autocast too.
    """
    with torch.autocast(query.device.type, enabled=False):
        query, key, queue = query.float(), key.float(), queue.float()
        own = (query * key).sum(dim=1, keepdim=True)
        logits = torch.cat([own, query @ queue.T], dim=1) / temperature
        return F.cross_entropy(logits, logits.new_zeros(len(logits), dtype=torch.long))


class MoCoConfig(Options):
    name: Literal["moco"] = "moco"
    temperature: float = Field(default=0.2, gt=0)
    momentum: float = Field(default=0.999, ge=0, le=1)
    queue_size: int = Field(default=65536, gt=0)

    def build(self, encoder: Encoder) -> "MoCo":
        return MoCo(encoder, config=self)


class MoCo(Objective):
    """The first view is the query, the second the key; the loss is not symmetric, as in the original.

    The second view passes the trained encoder too, because the ProtoFair term works on the features of both views; this
    loss does not use it there. The queue starts as random directions from torch's global generator, as in the original,
    and is part of the state. The original shuffles the batch across devices before the key encoder, so that batch norm
    cannot give the key away; one device has nothing to shuffle across, and this implementation does not.
    """

    queue: Tensor
    position: Tensor
    z_dim = 128

    def __init__(self, encoder: Encoder, *, config: MoCoConfig) -> None:
        super().__init__()
        self.config = config
        self.head = projection_head(encoder.feature_dim, encoder.feature_dim, self.z_dim)
        self.key_encoder = follower(encoder)
        self.key_head = follower(self.head)
        self.register_buffer("queue", F.normalize(torch.randn(config.queue_size, self.z_dim), dim=1))
        self.register_buffer("position", torch.zeros((), dtype=torch.long))

    def forward(
        self,
        encoder: Encoder,
        views: tuple[Tensor, Tensor],
        *,
        target: Tensor | None = None,
        sensitive: Tensor | None = None,
    ) -> Output:
        features = torch.cat([encoder(view) for view in views])
        z = F.normalize(self.head(features).float(), dim=1)
        query = z[: len(views[0])]
        with torch.no_grad():
            key = F.normalize(self.key_head(self.key_encoder(views[1])).float(), dim=1)
        # A copy, because the queue changes before the backward pass needs it.
        loss = moco_loss(query, key, self.queue.clone(), temperature=self.config.temperature)
        if self.training:
            self._enqueue(key)
        return Output(loss, features, z)

    def _enqueue(self, keys: Tensor) -> None:
        """Overwrite the oldest keys; the position stays on the device, so that no step waits for the host."""
        size = len(self.queue)
        keys = keys[-size:]
        places = (self.position + torch.arange(len(keys), device=keys.device)) % size
        self.queue[places] = keys
        self.position.copy_((self.position + len(keys)) % size)

    def after_step(self, encoder: Encoder, progress: float) -> None:
        follow(self.key_encoder, encoder, momentum=self.config.momentum)
        follow(self.key_head, self.head, momentum=self.config.momentum)
