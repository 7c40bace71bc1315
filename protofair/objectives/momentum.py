"""Networks that follow another one by a moving average: the target of BYOL, the key encoder of MoCo."""

import copy
from typing import TypeVar

import torch
from torch import nn

Network = TypeVar("Network", bound=nn.Module)


def follower(network: Network) -> Network:
    """A copy that no optimiser trains; it is saved like any other part of the module that owns it."""
    return copy.deepcopy(network).requires_grad_(False)


@torch.no_grad()
def follow(copied: nn.Module, network: nn.Module, *, momentum: float) -> None:
    """Move the copy's parameters: momentum x its own + (1 - momentum) x the network's.

    Buffers are copied as they are: an average of batch norm's averages, or of its counter, would mean nothing.
    """
    for slow, fast in zip(copied.parameters(), network.parameters(), strict=True):
        slow.lerp_(fast, 1 - momentum)
    for old, new in zip(copied.buffers(), network.buffers(), strict=True):
        old.copy_(new)
