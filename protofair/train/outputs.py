"""The outputs of a stage: written at its very end, each of them whole or absent."""

import shutil
from pathlib import Path
from typing import Any

from protofair.core.atomic import replacing, sync_folder, write_json


def publish(folder: Path, *, kept: Path, log: Path, run: dict[str, Any]) -> None:
    """Put checkpoints/, log.jsonl and run.json into `folder`, in the place of older ones; run.json comes last.

    Copied, not moved: a run that is killed here can publish again, and then clears away what it had begun.
    """
    partial = folder / ".partial"
    shutil.rmtree(partial, ignore_errors=True)
    for path in sorted(kept.glob("epoch-*.pt")):  # and not the beginning of one that a killed process left
        _copy(path, partial / "checkpoints" / path.name)
    _copy(log, partial / "log.jsonl")
    write_json(partial / "run.json", run)
    shutil.rmtree(folder / "checkpoints", ignore_errors=True)
    for name in ("checkpoints", "log.jsonl", "run.json"):
        (partial / name).replace(folder / name)
    partial.rmdir()
    sync_folder(folder)


def _copy(source: Path, destination: Path) -> None:
    with source.open("rb") as original, replacing(destination) as copy:
        shutil.copyfileobj(original, copy)
