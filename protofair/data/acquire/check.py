"""Is a file the official one? By size, hash, or where neither is known by its number of lines."""

from pathlib import Path
from typing import Any

from protofair.core.errors import UserError
from protofair.data.acquire.digest import file_digest
from protofair.data.acquire.table import File
from protofair.data.raw import FETCH_AGAIN, images_in_tar, images_in_zip


class WrongFile(Exception):  # noqa: N818 - says what it is
    """A file that is not what its name says; the message names the path and the difference."""


def check(path: Path, file: File, *, official: bool) -> dict[str, Any]:
    """The facts about `path` that go into the record: size, hash, and whether the hash is the official one.

    `official` is False for one of the other forms people have (`also`), whose bytes cannot be compared.
    """
    size = path.stat().st_size
    if official and file.size is not None and size != file.size:
        raise WrongFile(f"{path}: {size:,} bytes, the official file has {file.size:,}")
    if file.lines is not None and (lines := _lines(path)) != file.lines:
        raise WrongFile(f"{path}: {lines:,} lines, the official file has {file.lines:,}")
    known = file.hash if official else None
    if known is None:
        _list_images(path)
    algorithm = known[0] if known else "sha256"
    digest = file_digest(path, algorithm)
    if known and digest != known[1]:
        raise WrongFile(f"{path}: {algorithm} is {digest}, of the official file it is {known[1]}")
    return {"size": size, algorithm: digest, "verified": known is not None}


def _list_images(path: Path) -> None:
    """Without a hash to compare, at least see that an archive can be read."""
    list_images = {".zip": images_in_zip, ".tar": images_in_tar}.get(path.suffix)
    try:
        if list_images and not any(True for _ in list_images(path)):
            raise WrongFile(f"{path}: no image in it")
    except UserError as error:
        raise WrongFile(str(error).removesuffix(f" {FETCH_AGAIN}").removesuffix(".")) from None


def _lines(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for line in file if line.strip())
