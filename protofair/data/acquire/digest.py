"""Hashes of files and of whole sets of images, with a progress bar where it takes long."""

import hashlib
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tqdm import tqdm

from protofair.data.raw import Entry, reading_order

_BLOCK = 2**20
_WORTH_A_BAR = 2**28


def progress_bar(name: str, *, total: int | None, **options: Any) -> "tqdm[Any]":
    """Bytes, speed and time left; in a log file a line every half minute is enough."""
    return tqdm(
        desc=name,
        total=total,
        unit="B",
        unit_scale=True,
        mininterval=0.2 if sys.stderr.isatty() else 30,
        **options,
    )


def file_digest(path: Path, algorithm: str) -> str:
    """The hexadecimal hash of a file."""
    digest = hashlib.new(algorithm, usedforsecurity=False)
    size = path.stat().st_size
    with (
        path.open("rb") as file,
        progress_bar(f"{path.name} {algorithm}", total=size, disable=size < _WORTH_A_BAR) as bar,
    ):
        while block := file.read(_BLOCK):
            digest.update(block)
            bar.update(len(block))
    return digest.hexdigest()


@dataclass(frozen=True)
class Content:
    """What a set of images is, wherever and however it lies."""

    count: int
    size: int
    sha256: str  # over the names and the hashes of their contents, in the order of the names
    damaged: list[str]


def images_digest(entries: Iterable[Entry]) -> Content:
    """Read every image once. One that cannot be read counts with an empty hash and is listed."""
    entries = reading_order(entries)
    size = sum(entry.size for entry in entries)
    hashes: dict[str, str] = {}
    with progress_bar("images sha256", total=size, disable=size < _WORTH_A_BAR) as bar:
        for entry in entries:
            try:
                hashes[entry.name] = hashlib.sha256(entry.read()).hexdigest()
            except OSError:
                hashes[entry.name] = ""
            bar.update(entry.size)
    lines = "".join(f"{hashes[name]}  {name}\n" for name in sorted(hashes))
    return Content(
        count=len(hashes),
        size=size,
        sha256=hashlib.sha256(lines.encode()).hexdigest(),
        damaged=sorted(name for name, value in hashes.items() if not value),
    )
