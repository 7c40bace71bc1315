"""Random numbers from nothing but a seed and a place in the training, so that a resumed run draws the same ones."""

from typing import Literal

import numpy as np
import torch

STREAMS = {"order": 0, "augment": 1, "kmeans": 2, "noise": 3}


def generator(stream: Literal["order", "augment", "kmeans", "noise"], *place: int) -> torch.Generator:
    """A generator for one purpose at one place, such as (seed, epoch, step).

    Always on the CPU: its numbers are then the same on every device.
    """
    seed = int(np.random.SeedSequence([STREAMS[stream], *place]).generate_state(1, np.uint64)[0])
    return torch.Generator().manual_seed(seed)
