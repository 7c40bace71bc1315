"""Files that are whole or absent: written beside their place, flushed to disk, then renamed."""

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from protofair.core.errors import UserError


def make_folder(path: Path) -> None:
    """Make a folder and those above it, where they are not there yet; a file in its place is a `UserError`."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise UserError(
            f"{path}: a file is in the place of this folder. Name another, or move the file away."
        ) from None


def make_writable_folder(path: Path) -> None:
    """Make a folder, and find out now whether files can be written into it: long work should not end without a place.

    One that cannot be written to is the system's own exception, which names it.
    """
    make_folder(path)
    with tempfile.TemporaryFile(dir=path):
        pass


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Open a binary file that takes the place of `path` when the block ends without an exception."""
    make_folder(path.parent)
    if path.is_dir():
        raise UserError(f"{path}: a folder. Name a file.")
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
        sync_folder(path.parent)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_text(path: Path, text: str) -> None:
    with replacing(path) as file:
        file.write(text.encode("utf-8"))


def write_json(path: Path, value: Any) -> None:
    """Readable JSON; NaN becomes null, since NaN is not JSON."""
    write_text(path, json.dumps(_without_nan(value), indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def sync_folder(path: Path) -> None:
    """Make renames in a folder survive a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    return None if isinstance(value, float) and value != value else value


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
