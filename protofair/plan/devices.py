"""What GPUs this machine offers, without importing torch."""

import os
import shutil
import subprocess
from pathlib import Path

DRIVER = Path("/proc/driver/nvidia/version")


def gpus() -> int:
    """The number of GPUs a job could be given; `CUDA_VISIBLE_DEVICES` narrows it."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is not None:
        return len([device for device in visible.split(",") if device.strip() not in ("", "-1")])
    if shutil.which("nvidia-smi") is None:
        return 0
    listed = subprocess.run(["nvidia-smi", "--list-gpus"], capture_output=True, text=True, check=False)
    return listed.stdout.count("GPU ") if listed.returncode == 0 else 0


def has_driver() -> bool:
    """Whether NVIDIA's driver is loaded."""
    return DRIVER.exists()
