"""What a killed run continues from: its last two states, each of them whole or known to be damaged.

Snakemake and DVC delete a stage's declared outputs before they start it, so nothing of this lies among them. A folder
belongs to one configuration, code and data, and goes when the run has ended well.
"""

import hashlib
import io
import shutil
import sys
from pathlib import Path
from typing import Any

import torch

from protofair.core.archive import load_archive
from protofair.core.atomic import replacing

ROOT = Path(".cache", "checkpoints")
DIGEST = hashlib.sha256().digest_size


class Checkpoints:
    """The states `last.state` and `previous.state` of a run: a SHA-256 and what torch made of the state."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.last, self.previous = folder / "last.state", folder / "previous.state"
        self.damaged: list[Path] = []

    def save(self, state: dict[str, Any]) -> None:
        """Make `state` the last one and the last one the previous; at every moment one of them is whole."""
        content = serialise(state)
        with replacing(self.last) as file:
            file.write(hashlib.sha256(content).digest())
            file.write(content)
            if self.last.exists():
                self.last.replace(self.previous)

    def load(self) -> dict[str, Any] | None:
        """The newest state that is whole; damaged ones are remembered in `damaged`."""
        for path in (self.last, self.previous):
            if path.exists():
                content = path.read_bytes()
                if hashlib.sha256(content[DIGEST:]).digest() == content[:DIGEST]:
                    state: dict[str, Any] = load_archive(content[DIGEST:])
                    return state
                self.damaged.append(path)
        return None

    def newest(self) -> Path | None:
        return next((path for path in (self.last, self.previous) if path.exists()), None)

    def remove(self) -> None:
        """All at once: a process that is killed while it deletes must not leave states without what belongs to them."""
        trash = self.folder.with_name(f"{self.folder.name}.done")
        shutil.rmtree(trash, ignore_errors=True)
        self.folder.rename(trash)
        shutil.rmtree(trash)


def serialise(value: dict[str, Any]) -> bytes:
    """torch's format, in memory: its bytes would depend on the name of a file."""
    buffer = io.BytesIO()
    torch.save(_unshared(value), buffer)
    return buffer.getvalue()


def _unshared(value: Any) -> Any:
    """The same value with every key one object for all and every tuple one by itself.

    Pickle notes which equal objects are the same object, and those of a resumed run are others: without this, equal
    states could give different bytes.
    """
    if type(value) is dict:
        return {sys.intern(key) if type(key) is str else key: _unshared(part) for key, part in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_unshared(part) for part in value)
    return value
