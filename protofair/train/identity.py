"""Hashes that say what a run is made of: its configuration, the code that trains it, the data it sees."""

import hashlib
import json
from pathlib import Path
from typing import Any

import protofair

CODE = ("core", "method", "objectives", "train")  # what a training stage declares as its code
PACKAGE = Path(protofair.__file__).parent


def code_hash(root: Path = PACKAGE, names: tuple[str, ...] = CODE) -> str:
    """SHA-256 over the training code, by file name and content."""
    digest = hashlib.sha256()
    for name in names:
        for path in sorted((root / name).rglob("*.py")):
            digest.update(f"{path.relative_to(root).as_posix()}\n{file_hash(path)}\n".encode())
    return digest.hexdigest()


def file_hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def run_hash(config: dict[str, Any], *, inputs: dict[str, str], code: str) -> str:
    """A short name for the run of `config` on these inputs with this code."""
    identity = {"config": config, "inputs": inputs, "code": code}
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:24]
