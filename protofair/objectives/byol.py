"""BYOL (Grill et al. 2020): predict what a slow copy of the network says of the other view."""

import math
from typing import Literal

import torch
import torch.nn.functional as F
from pydantic import Field
from torch import Tensor

from protofair.objectives.encoder import Encoder
from protofair.objectives.heads import batchnorm_head
from protofair.objectives.momentum import follow, follower
from protofair.objectives.objective import Objective, Options, Output


def byol_loss(prediction: Tensor, projection: Tensor) -> Tensor:
    """Mean of 2 - 2 cos(prediction, projection) over rows; both [B, d], float32; a scalar."""
    return (2 - 2 * F.cosine_similarity(prediction.float(), projection.float(), dim=1)).mean()


def target_momentum(base: float, progress: float) -> float:
    """From `base` at progress 0 to 1 at progress 1, by a cosine."""
    return 1 - (1 - base) * (math.cos(math.pi * progress) + 1) / 2


class BYOLConfig(Options):
    name: Literal["byol"] = "byol"
    hidden: int = Field(default=4096, gt=0)
    out: int = Field(default=256, gt=0)
    momentum: float = Field(default=0.99, ge=0, le=1)  # at the start; 1 at the end

    def build(self, encoder: Encoder) -> "BYOL":
        return BYOL(encoder, config=self)


class BYOL(Objective):
    """Views pass every network one after the other: batch norm sees one view at a time, as in the original."""

    def __init__(self, encoder: Encoder, *, config: BYOLConfig) -> None:
        super().__init__()
        self.momentum = config.momentum
        self.z_dim = config.out
        self.projector = batchnorm_head(encoder.feature_dim, config.hidden, config.out)
        self.predictor = batchnorm_head(config.out, config.hidden, config.out)
        self.target_encoder = follower(encoder)
        self.target_projector = follower(self.projector)

    def forward(
        self,
        encoder: Encoder,
        views: tuple[Tensor, Tensor],
        *,
        target: Tensor | None = None,
        sensitive: Tensor | None = None,
    ) -> Output:
        features = [encoder(view) for view in views]
        projections = [self.projector(feature) for feature in features]
        first, second = (self.predictor(projection) for projection in projections)
        with torch.no_grad():
            target_first, target_second = (self.target_projector(self.target_encoder(view)) for view in views)
        loss = byol_loss(first, target_second) + byol_loss(second, target_first)
        z = F.normalize(torch.cat(projections).float(), dim=1)
        return Output(loss, torch.cat(features), z)

    def after_step(self, encoder: Encoder, progress: float) -> None:
        momentum = target_momentum(self.momentum, progress)
        follow(self.target_encoder, encoder, momentum=momentum)
        follow(self.target_projector, self.projector, momentum=momentum)
