"""What a run was made with. Kept apart from its results, so that equal results are equal bytes."""

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch

import protofair


def environment(device: torch.device) -> dict[str, Any]:
    """Time, versions and hardware; nothing that names the machine or its owner."""
    return {
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {
            "protofair": protofair.__version__,
            "python": platform.python_version(),
            "torch": str(torch.__version__),
            "numpy": np.__version__,
            "scikit-learn": version("scikit-learn"),  # importing it takes a second
            "cuda": torch.version.cuda if device.type == "cuda" else None,
        },
        "hardware": {
            "device": device.type,
            "gpu": torch.cuda.get_device_name(device) if device.type == "cuda" else None,
            "cpu": _cpu_name(),
            "cores": os.cpu_count(),
            "threads": torch.get_num_threads(),
            "system": platform.system(),
        },
    }


def _cpu_name() -> str:
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8") as lines:
            return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()
