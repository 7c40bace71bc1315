"""A GPU for this process alone: Snakemake counts the GPUs that are free, but does not say which.

Each GPU has a file that the process using it holds locked. The kernel lets go of it when the process ends, however that
happens, so nothing is ever left over.
"""

import fcntl
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    import torch

LEASES = Path(tempfile.gettempdir()) / f"protofair-gpus-{os.getuid()}"
WAIT_SECONDS = 1.0
_held: dict[int, IO[bytes]] = {}  # what this process holds, by index; an open file is a held lock


def leased_device() -> "torch.device":
    """Where to compute: a GPU if there is one, and of several one that is free."""
    import torch

    if not torch.cuda.is_available():
        return torch.device("cpu")
    count = torch.cuda.device_count()
    device = torch.device("cuda", lease(count) if count > 1 else 0)
    torch.cuda.set_device(device)
    return device


def lease(count: int) -> int:
    """The index of a GPU among the `count` visible ones that no other process holds; waits until there is one.

    A second call gives the GPU of the first.
    """
    if _held:
        return next(iter(_held))
    names = _names(count)
    index = _take(names)
    if index is None:
        print(f"protofair: {count} GPUs, all taken: waiting for one", file=sys.stderr, flush=True)
    while index is None:
        time.sleep(WAIT_SECONDS)
        index = _take(names)
    return index


def _names(count: int) -> Sequence[str]:
    """What each visible GPU is called on this machine: index 0 of a process that sees only GPU 3 is GPU 3."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    return [name.strip() for name in visible.split(",")][:count] if visible else [str(n) for n in range(count)]


def _take(names: Sequence[str]) -> int | None:
    LEASES.mkdir(mode=0o700, exist_ok=True)
    for index, name in enumerate(names):
        file = (LEASES / name).open("wb")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
        else:
            _held[index] = file
            return index
    return None
