"""What `acquire` says it has left in a raw folder, and whether that is still what lies there."""

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from protofair.core.errors import UserError
from protofair.data.prepare.config import Prepare
from protofair.data.raw import Entry


class _File(BaseModel):
    name: str
    size: int


class _Images(BaseModel):
    count: int
    bytes: int
    sha256: str


class _Declaration(BaseModel):
    """What is needed here of a declaration; the card repeats all of it."""

    dataset: str
    source: str
    files: list[_File]
    images: _Images


def read_declaration(path: Path, config: Prepare) -> dict[str, Any]:
    """The declaration, checked to be whole and of the right data set."""
    try:
        acquired: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        _Declaration.model_validate(acquired)
    except (FileNotFoundError, NotADirectoryError):
        raise UserError(f"{path}: no such file. Get the raw files first: protofair acquire {config.acquire}") from None
    except ValueError:
        raise UserError(f"{path}: damaged. Acquire it again: protofair acquire {config.acquire}") from None
    if acquired["dataset"] != config.dataset:
        raise UserError(f"{path}: it is {acquired['dataset']}, not {config.dataset}. Name another 'acquire'.")
    return acquired


def refuse_changed(raw: Path, entries: Collection[Entry], acquired: dict[str, Any], config: Prepare) -> None:
    """Refuse raw files other than those declared: the card would describe what was not packed. Sizes tell enough."""
    again = f"Acquire it again: protofair acquire {config.acquire}"
    for file in acquired["files"]:
        path = raw / file["name"]
        if path.exists() and path.stat().st_size != file["size"]:
            raise UserError(f"{path}: changed since it was acquired. {again}")
    count, size = acquired["images"]["count"], acquired["images"]["bytes"]
    if (len(entries), sum(entry.size for entry in entries)) != (count, size):
        raise UserError(
            f"{raw}: changed since it was acquired, when it had {count:,} images of {size:,} bytes in all. {again}"
        )
