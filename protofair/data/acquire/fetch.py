"""One official file from the first of its mirrors that gives the right bytes."""

import os
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import requests

from protofair.core.atomic import sync_folder
from protofair.core.errors import UserError
from protofair.data.acquire.check import WrongFile, check
from protofair.data.acquire.download import download
from protofair.data.acquire.locate import locate
from protofair.data.acquire.space import disk_full, is_disk_full
from protofair.data.acquire.table import Dataset, File, Source
from protofair.data.acquire.web import MirrorError, Patience


class Unavailable(Exception):  # noqa: N818 - the caller decides whether that is an error
    """No mirror gave the file; one reason a line."""


def fetch(folder: Path, name: str, file: File, *, session: requests.Session, patience: Patience) -> dict[str, Any]:
    """Fetch `folder/name` and return the facts about it; wrong bytes are never left under that name."""
    reasons = []
    for source in file.sources:
        try:
            return _from_mirror(folder, name, file, source, session=session, patience=patience)
        except (MirrorError, WrongFile) as error:
            reasons.append(f"{source}: {error}")
        except OSError as error:
            raise disk_full(folder) if is_disk_full(error) else error from None
    raise Unavailable("\n".join(f"  {reason}" for reason in reasons))


def by_hand(folder: Path, dataset: Dataset, names: Iterable[str]) -> str:
    """What a person can do when no mirror helps."""
    wanted = "\n".join(f"  {name} ({dataset.files[name].facts})" for name in names)
    return (
        f"By hand: fetch from {dataset.page}\n{wanted}\n"
        f"put into {folder}/ (or name the folder they are in with --from-dir) and run the same command again. "
        "What was fetched so far is kept."
    )


def unavailable(folder: Path, dataset: Dataset, name: str, reasons: str, missing: Iterable[str]) -> UserError:
    return UserError(f"{name}: no mirror gave it.\n{reasons}\n{by_hand(folder, dataset, missing)}")


def _from_mirror(
    folder: Path, name: str, file: File, source: Source, *, session: requests.Session, patience: Patience
) -> dict[str, Any]:
    part, rejected = folder / f"{name}.part", folder / f"{name}.rejected"
    if file.hash is None:
        part.unlink(missing_ok=True)  # without a hash nobody would notice two halves of different files
    continued = part.exists()
    download(session, partial(locate, source, session, patience=patience), part, size=file.size, patience=patience)
    try:
        facts = check(part, file, official=True)
    except WrongFile as wrong:
        part.replace(rejected)  # kept to be looked at, never used
        if continued:  # the bytes of an earlier run may be to blame
            return _from_mirror(folder, name, file, source, session=session, patience=patience)
        raise WrongFile(f"{str(wrong).removeprefix(f'{part}: ')} (kept as {rejected.name})") from None
    with part.open("rb") as whole:
        os.fsync(whole.fileno())
    part.replace(folder / name)
    sync_folder(folder)
    rejected.unlink(missing_ok=True)
    return facts
