"""Features of the frozen encoder for the images of a packed set."""

import os
from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from protofair.core.lease import leased_device
from protofair.objectives import Encoder

# Images encoded at once. Part of the protocol: another number changes the last bits of the features.
BATCH = 256
# Changes the images [b, 3, H, W] of a batch, in [0, 1]; also told the batch's number.
Transform = Callable[[Tensor, int], Tensor]


def choose_device() -> torch.device:
    """A GPU if there is one, with only kernels that give the same bits every time, in full precision."""
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # read when cuBLAS is first used
    torch.use_deterministic_algorithms(True)
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.allow_tf32 = False
    return leased_device()


@torch.no_grad()
def encode(
    encoder: Encoder,
    images: NDArray[np.uint8],
    rows: NDArray[np.int64],
    *,
    transform: Transform | None = None,
) -> Tensor:
    """Features [n, d] of some rows of packed images [N, H, W, C], on the encoder's device."""
    device = next(encoder.parameters()).device
    features = []
    for number, start in enumerate(range(0, len(rows), BATCH)):
        pixels = torch.from_numpy(images[rows[start : start + BATCH]]).to(device)
        batch = pixels.permute(0, 3, 1, 2).expand(-1, 3, -1, -1).float() / 255
        if transform is not None:
            batch = transform(batch, number)
        features.append(encoder((batch - 0.5) / 0.5).float())
    return torch.cat(features)
