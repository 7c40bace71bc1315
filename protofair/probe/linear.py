"""The linear probe: softmax regression on frozen features by SGD. The last epoch counts; none is chosen on a test."""

import math
from collections.abc import Callable, Mapping

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from protofair.probe.config import ProbeConfig

# Where FSCL's cosine for its probe ends: 0.1 * 0.2^3 = 8e-4.
FINAL_SHARE = 0.2**3


def train_probes(
    features: Callable[[int], Tensor],
    labels: Mapping[str, Tensor],
    *,
    num_classes: Mapping[str, int],
    config: ProbeConfig,
) -> dict[str, nn.Linear]:
    """One probe for each attribute, all on the same features and the same batches.

    features     epoch 0, 1, ... to the training images' features [n, d]: the same each time, or of new augmented crops
    labels       class numbers [n] by attribute
    A probe does not depend on which others are trained beside it. Random numbers come from `config.seed` alone.
    """
    order = torch.Generator().manual_seed(config.seed)
    now = features(0)
    probes = {name: _new_probe(now.shape[1], num_classes[name], config.seed).to(now.device) for name in labels}
    parameters = [parameter for probe in probes.values() for parameter in probe.parameters()]
    optimiser = torch.optim.SGD(parameters, lr=config.lr, momentum=config.momentum)
    steps = math.ceil(len(now) / config.batch_size)
    for epoch in range(config.epochs):
        now = features(epoch) if epoch else now
        shuffled = torch.randperm(len(now), generator=order).to(now.device)
        for step, batch in enumerate(shuffled.split(config.batch_size)):
            for group in optimiser.param_groups:
                group["lr"] = config.lr * _rate((epoch * steps + step) / (config.epochs * steps), config.schedule)
            inputs = now[batch]
            losses = [F.cross_entropy(probe(inputs), labels[name][batch]) for name, probe in probes.items()]
            optimiser.zero_grad()
            torch.stack(losses).sum().backward()
            optimiser.step()
    return probes


@torch.no_grad()
def scores(probe: nn.Linear, features: Tensor) -> Tensor:
    """Log-odds of class 1 [n, 1] where there are two classes, else log-probabilities [n, C]."""
    logits = probe(features)
    if logits.shape[1] == 2:
        odds: Tensor = logits[:, 1:] - logits[:, :1]
        return odds
    return logits.log_softmax(dim=1)


def _rate(progress: float, schedule: str) -> float:
    """The share of the initial rate at `progress` in [0, 1).

    By steps where FSCL goes by epochs: a probe of one or two epochs then still starts at the full rate.
    """
    if schedule == "constant":
        return 1.0
    return FINAL_SHARE + (1 - FINAL_SHARE) * (1 + math.cos(math.pi * progress)) / 2


def _new_probe(feature_dim: int, num_classes: int, seed: int) -> nn.Linear:
    """torch's own initialisation of a linear layer, from its own generator."""
    probe = nn.Linear(feature_dim, num_classes)
    generator = torch.Generator().manual_seed(seed)
    for parameter in probe.parameters():
        nn.init.uniform_(parameter, -(feature_dim**-0.5), feature_dim**-0.5, generator=generator)
    return probe
