"""LNL, learning not to learn (Kim et al. 2019): unlearn the sensitive attribute in a second update of every batch."""

from typing import Literal

import torch.nn.functional as F
from pydantic import Field
from torch import Tensor, nn

from protofair.baselines.method import Method, MethodOptions, Optimisers, Step, descend, sgd
from protofair.objectives import Encoder
from protofair.objectives.adversary import Adversary
from protofair.train.config import Optimiser


def negative_entropy(logits: Tensor) -> Tensor:
    """Mean over rows of sum_k p_k log p_k with p = softmax of the logits [n, k], a scalar: lowest for a uniform p."""
    log_p = logits.float().log_softmax(dim=1)
    return (log_p.exp() * log_p).sum(dim=1).mean()


class LNLConfig(MethodOptions):
    name: Literal["lnl"] = "lnl"
    entropy_weight: float = Field(default=0.01, ge=0)
    reversal: float = Field(default=0.1, gt=0)

    def build(self, encoder: Encoder, teacher: Encoder | None) -> "LNL":
        return LNL(encoder, config=self)


class LNL(Method):
    """First the target, with a bias head that should be unsure; then the bias head, against the encoder."""

    def __init__(self, encoder: Encoder, *, config: LNLConfig) -> None:
        super().__init__()
        self.config, self.encoder = config, encoder
        self.classifier = nn.Linear(encoder.feature_dim, config.num_classes)
        self.bias = Adversary(encoder.feature_dim, num_classes=config.num_groups, weight=config.reversal)

    def optimisers(self, options: Optimiser) -> Optimisers:
        return {
            "target": sgd([self.encoder, self.classifier], options),
            "bias": sgd([self.encoder, self.bias], options),
        }

    def update(self, step: Step, optimisers: Optimisers) -> dict[str, Tensor]:
        features = self.encoder(step.images)
        base = F.cross_entropy(self.classifier(features).float(), step.target)
        unsure = negative_entropy(self.bias.head(features))
        loss = base + self.config.entropy_weight * unsure
        descend(optimisers["target"], loss)
        bias = self.bias(self.encoder(step.images), step.sensitive)
        descend(optimisers["bias"], bias)
        terms = {"loss": loss, "base": base, "negative_entropy": unsure, "bias": bias}
        return {name: term.detach() for name, term in terms.items()}
