"""What a run was made with. Kept apart from its results, so that equal results are equal bytes."""

import importlib.metadata
import os
import platform
from pathlib import Path
from typing import Any

import torch

PACKAGES = ("protofair", "torch", "torchvision", "numpy", "pandas", "scikit-learn")


def provenance(*, device: torch.device, seconds: dict[str, float]) -> dict[str, Any]:
    """For run.json: versions, hardware, and the wall time of each part of the work."""
    return {
        "versions": {
            "python": platform.python_version(),
            **{name: importlib.metadata.version(name) for name in PACKAGES},
        },
        "hardware": {
            "system": platform.system(),
            "machine": platform.machine(),
            "cpu": _cpu_name(),
            "cpus": os.cpu_count(),
            "threads": torch.get_num_threads(),
            "device": torch.cuda.get_device_name(device) if device.type == "cuda" else device.type,
        },
        "seconds": {name: round(value, 3) for name, value in seconds.items()},
    }


def _cpu_name() -> str:
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8") as lines:
            return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()
