"""Acquire one data set: fill data/raw/<key>/, then declare in data/acquired/<key>.json what is there.

The declaration holds no path, no date and no user, so that the same files give the same bytes everywhere.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import requests

from protofair.core.atomic import write_json
from protofair.core.errors import UserError
from protofair.data.acquire.collect import Collection, sole_use
from protofair.data.acquire.config import TOY_OPTIONS, Acquire
from protofair.data.acquire.digest import images_digest
from protofair.data.acquire.ledger import Ledger
from protofair.data.acquire.licence import require_licence
from protofair.data.acquire.table import Dataset, Table
from protofair.data.acquire.web import Patience
from protofair.data.raw import Entry, TarEntry, ZipEntry, find_images
from protofair.data.toy import DRAWN, draw, refuse_others


def acquire(
    key: str,
    config: Acquire,
    *,
    table: Table,
    data: Path,
    from_dir: Path | None = None,
    accept_licence: bool = False,
    patience: Patience | None = None,
    say: Callable[[str], None] = print,
) -> Path:
    """Make the raw files of `config` complete under `data` and return the path of the declaration."""
    dataset = table.datasets[config.dataset]
    folder, declaration = data / "raw" / key, data / "acquired" / f"{key}.json"
    with sole_use(folder):
        record: dict[str, Any] = {"dataset": config.dataset, "source": config.source}
        if config.source == "toy":
            record["toy"] = config.model_dump(include=TOY_OPTIONS)
            collection = _draw(folder, config, dataset, say)
        else:
            record["licence"] = {"name": dataset.licence.name, "url": str(dataset.licence.url), "accepted": True}
            collection = _collect(folder, key, dataset, from_dir, accept_licence, patience or Patience(), say)
        collection.unpack_all()
        record["files"] = [
            {"official_name": name} | collection.facts[name] for name in dataset.files if name in collection.facts
        ]
        record["images"] = _content(folder, collection.ledger)
        if config.source == "official":
            record["images"]["official_count"] = dataset.images.count
            record["notes"] = _notes(record)
            for note in record["notes"]:
                say(note)
        write_json(declaration, record)
    return declaration


def _collect(
    folder: Path,
    key: str,
    dataset: Dataset,
    from_dir: Path | None,
    accept_licence: bool,
    patience: Patience,
    say: Callable[[str], None],
) -> Collection:
    if (folder / DRAWN).exists():
        raise UserError(f"{folder}: holds drawn data. Delete it, or acquire the official files under another key.")
    require_licence(folder, key, dataset, accepted=accept_licence)
    collection = Collection(folder, dataset, say=say)
    if from_dir is not None and collection.missing:
        if not from_dir.is_dir():
            raise UserError(
                f"{from_dir}: no such folder. --from-dir (PROTOFAIR_DATA_DIR) names one that has your files."
            )
        collection.take_from(from_dir)
    if collection.missing:
        with requests.Session() as session:
            collection.fetch_missing(session=session, patience=patience, optional=from_dir is None)
    return collection


def _draw(folder: Path, config: Acquire, dataset: Dataset, say: Callable[[str], None]) -> Collection:
    refuse_others(folder)
    for path in folder.iterdir():
        if not path.name.startswith("."):
            path.unlink()
    draw(config.dataset, folder, images=config.images, seed=config.seed, correlation=config.correlation)
    return Collection(folder, dataset.unpinned(), say=say)


def _content(folder: Path, ledger: Ledger) -> dict[str, Any]:
    """What the images are, read once and remembered until a file changes."""
    entries = find_images(folder)
    if not entries:
        raise UserError(f"{folder}: no images in it. Delete it and acquire the data set again.")
    stamp = _stamp(entries)
    facts = ledger.facts("images", stamp=stamp)
    if facts is None:
        content = images_digest(entries)
        facts = {
            "layout": _layout(entries),
            "count": content.count,
            "bytes": content.size,
            "sha256": content.sha256,
            "damaged": content.damaged,
        }
        ledger.put_facts("images", stamp=stamp, facts=facts)
    return dict(facts)


def _layout(entries: list[Entry]) -> str:
    kinds = {
        "zip" if isinstance(entry, ZipEntry) else "tar" if isinstance(entry, TarEntry) else "folder"
        for entry in entries
    }
    return " and ".join(sorted(kinds))


def _stamp(entries: list[Entry]) -> str:
    times = {path: Path(path).stat().st_mtime_ns for path in {entry.path for entry in entries}}
    lines = "".join(f"{entry.name} {entry.position} {entry.size} {times[entry.path]}\n" for entry in entries)
    return hashlib.sha256(lines.encode()).hexdigest()


def _notes(record: dict[str, Any]) -> list[str]:
    """What a reader should know: what could not be verified, and what is not as the official set is."""
    notes = []
    for file in record["files"]:
        if file["name"] != file["official_name"]:
            notes.append(
                f"{file['name']} stands for {file['official_name']}; not the official bytes, so not verified by hash."
            )
        elif not file["verified"]:
            notes.append(f"{file['name']}: no hash is published, so not verified by hash.")
    images = record["images"]
    if images["layout"] == "folder":
        notes.append("The images come from extracted folders, so they are not verified by an archive's hash.")
    if images["count"] != images["official_count"]:
        notes.append(f"{images['count']:,} images, the official set has {images['official_count']:,}.")
    if images["damaged"]:
        notes.append(
            f"{len(images['damaged'])} images cannot be read from their archive: {', '.join(images['damaged'][:5])}"
        )
    return notes
