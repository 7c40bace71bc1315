"""The outputs of a stage: written at its very end, each of them whole or absent."""

import shutil
from pathlib import Path
from typing import Any

from protofair.atomic import replacing, sync_folder, write_json


def publish(folder: Path, *, kept: Path, log: Path, run: dict[str, Any]) -> None:
    """Put checkpoints/, log.jsonl and run.json into `folder`, in the place of older ones; run.json comes last.

    Copied, not moved: until then a killed run can publish again.
    """
    folder.mkdir(parents=True, exist_ok=True)
    partial, final = folder / ".checkpoints.partial", folder / "checkpoints"
    shutil.rmtree(partial, ignore_errors=True)
    for path in sorted(kept.iterdir()):
        _copy(path, partial / path.name)
    if final.exists():
        shutil.rmtree(final)
    partial.rename(final)
    sync_folder(folder)
    _copy(log, folder / log.name)
    write_json(folder / "run.json", run)


def _copy(source: Path, destination: Path) -> None:
    with source.open("rb") as original, replacing(destination) as copy:
        shutil.copyfileobj(original, copy)
