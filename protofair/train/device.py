"""Where training happens, and how exactly."""

import ctypes
import os
from typing import Literal

import torch

from protofair.core.lease import leased_device

# Of glibc: how much may be free at the end before it is given back, and the size from which memory is mapped anew.
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3

# auto: bfloat16 on a GPU, full precision elsewhere. Many CPUs have it too, at up to twice the speed, and some do not.
Precision = Literal["auto", "bfloat16", "float32"]


def training_device() -> torch.device:
    """A GPU if there is one. `CUDA_VISIBLE_DEVICES` says which to choose from, and an empty one says none."""
    return leased_device()


def keep_freed_memory() -> None:
    """Without a GPU: keep what a step has freed for the next one, which wants the same again.

    To give it back and have every page filled with zeros anew takes a tenth to a fifth of a small network's training.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # of glibc alone
    if mallopt is not None:
        mallopt(M_TRIM_THRESHOLD, 2**31 - 1)
        mallopt(M_MMAP_THRESHOLD, 2**25)  # the highest it takes


def make_deterministic() -> None:
    """Only kernels that give the same bits every time; an operation without one is an error."""
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # read when cuBLAS is first used
    torch.use_deterministic_algorithms(True)
    # Filling fresh memory costs time and is of no use: everything here is written before it is read.
    torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]
    torch.backends.cudnn.benchmark = False


def autocast(device: torch.device, precision: Precision) -> torch.autocast:
    """What networks are computed in; losses on similarities are computed in full precision either way."""
    lower = precision == "bfloat16" or (precision == "auto" and device.type == "cuda")
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=lower)
