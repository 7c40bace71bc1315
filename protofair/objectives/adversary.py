"""A reversed adversary (Ganin & Lempitsky 2015; for fairness Raff & Sylvester 2018), to add to any loss on features.

The adversary learns to tell the label from the features; what comes before it gets its gradient reversed and unlearns
what tells the label.
"""

from typing import Annotated, Any

import torch
import torch.nn.functional as F
from pydantic import Field
from torch import Tensor, nn

from protofair.core.strict import Strict
from protofair.objectives.heads import projection_head


class _Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, features: Tensor, weight: float) -> Tensor:
        ctx.weight = weight
        return features.view_as(features)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        return -ctx.weight * gradient, None


def reverse(features: Tensor, *, weight: float) -> Tensor:
    """The features themselves, whose gradient comes back multiplied by -weight."""
    reversed_: Tensor = _Reverse.apply(features, weight)
    return reversed_


Strength = Annotated[float, Field(gt=0)]


class AdversaryConfig(Strict):
    """`weight` is how strongly the encoder works against the adversary; the adversary itself learns at full rate."""

    sensitive: str
    weight: Strength = 1.0
    num_groups: int = Field(default=2, ge=2)


class Adversary(nn.Module):
    """Linear-ReLU-Linear behind a reversal."""

    def __init__(self, feature_dim: int, *, num_classes: int, weight: float) -> None:
        super().__init__()
        self.weight = weight
        self.head = projection_head(feature_dim, feature_dim, num_classes)

    def forward(self, features: Tensor, label: Tensor) -> Tensor:
        """The adversary's cross-entropy, a scalar. features [n, m], label int [n]."""
        return F.cross_entropy(self.head(reverse(features, weight=self.weight)).float(), label)
