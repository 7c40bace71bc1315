"""Is there room? Asked before anything is fetched or unpacked, and explained when a disk fills up all the same."""

import errno
import shutil
from pathlib import Path

from tqdm import tqdm

from protofair.core.errors import UserError

RESERVE = 64 * 2**20  # what a disk should have left, for logs and everybody else


def readable(count: int) -> str:
    """A number of bytes for a person: 1.34GB."""
    return tqdm.format_sizeof(count, "B")


def require_space(folder: Path, needed: int, *, purpose: str) -> None:
    """Refuse to begin what the disk of `folder` has no room for."""
    free = shutil.disk_usage(folder).free
    if needed + RESERVE > free:
        raise UserError(
            f"{folder}: {purpose} needs {readable(needed)}, the disk has {readable(free)} free. Make room, or choose a "
            "folder on another disk with --out."
        )


def is_disk_full(error: OSError) -> bool:
    return error.errno in (errno.ENOSPC, errno.EDQUOT)


def disk_full(folder: Path) -> UserError:
    return UserError(
        f"{folder}: the disk is full. Make room and run the same command again: what was fetched is kept and continued."
    )
