"""What must not go unnoticed: a loss that is not a number, and one that does not move."""

import math
from typing import Any

import torch
from torch import nn

from protofair.core.errors import UserError
from protofair.objectives.contrast import BASE_TEMPERATURE
from protofair.objectives.simclr import SimCLRConfig
from protofair.objectives.supcon import SupConConfig
from protofair.train.config import Warmup

STUCK = 0.005  # a loss this near its start, relatively, has not left it
PATIENCE = 2  # epochs


class TrainingError(UserError):
    """The training itself broke; exit code 1 tells it from input that was refused."""

    exit_code = 1


def all_finite(networks: nn.Module) -> bool:
    """Whether every parameter is still a number; waits for the device."""
    return bool(torch.stack([parameter.detach().isfinite().all() for parameter in networks.parameters()]).all())


def start_loss(warmup: Warmup) -> float | None:
    """The loss of SupCon and SimCLR while all features are alike: log(2B - 1), in FSCL's scale; None for the others."""
    objective = warmup.objective
    if not isinstance(objective, SupConConfig | SimCLRConfig):
        return None
    return objective.temperature / BASE_TEMPERATURE * math.log(2 * warmup.optimiser.batch_size - 1)


def stuck(warmup: Warmup, records: list[dict[str, Any]]) -> str | None:
    """A warning in the epoch in which the loss has been at its start for `PATIENCE` epochs, those of the ramp aside."""
    start = start_loss(warmup)
    if start is None:
        return None
    ramp = warmup.optimiser.ramp_epochs
    still = [record["epoch"] > ramp and record["base"] > start * (1 - STUCK) for record in records]
    newest = still[-PATIENCE - 1 :]
    if newest not in ([True] * PATIENCE, [False] + [True] * PATIENCE):
        return None
    return (
        f"for {PATIENCE} epochs the loss has not left its start, {start:.3f}."
        " Lower 'optimiser.lr', or set 'optimiser.ramp_epochs'."
    )
