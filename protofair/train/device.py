"""Where training happens, and how exactly."""

import os

import torch

from protofair.core.lease import leased_device


def training_device() -> torch.device:
    """A GPU if there is one. `CUDA_VISIBLE_DEVICES` says which to choose from, and an empty one says none."""
    return leased_device()


def make_deterministic() -> None:
    """Only kernels that give the same bits every time; an operation without one is an error."""
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # read when cuBLAS is first used
    torch.use_deterministic_algorithms(True)
    # Filling fresh memory costs time and is of no use: everything here is written before it is read.
    torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]
    torch.backends.cudnn.benchmark = False


def autocast(device: torch.device) -> torch.autocast:
    """bf16 on CUDA, full precision elsewhere."""
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda")
