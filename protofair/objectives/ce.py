"""CE: the encoder with a linear classifier on top, trained by cross-entropy."""

from typing import Literal

import torch
import torch.nn.functional as F
from pydantic import Field
from torch import Tensor, nn

from protofair.objectives.encoder import Encoder
from protofair.objectives.objective import Objective, Options, Output, both_views


class CEConfig(Options):
    name: Literal["ce"] = "ce"
    target: str
    num_classes: int = Field(default=2, ge=2)

    def build(self, encoder: Encoder) -> "CE":
        return CE(encoder, config=self)


class CE(Objective):
    """Without a projector the space that ProtoFair's pairs are compared in is the encoder's own."""

    needs_target = True

    def __init__(self, encoder: Encoder, *, config: CEConfig) -> None:
        super().__init__()
        self.z_dim = encoder.feature_dim
        self.classifier = nn.Linear(encoder.feature_dim, config.num_classes)

    def forward(
        self,
        encoder: Encoder,
        views: tuple[Tensor, Tensor],
        *,
        target: Tensor | None = None,
        sensitive: Tensor | None = None,
    ) -> Output:
        features = encoder(torch.cat(views))
        loss = F.cross_entropy(self.classifier(features).float(), both_views(target))
        return Output(loss, features, F.normalize(features.float(), dim=1))

    def own_classifier(self) -> nn.Linear:
        return self.classifier
