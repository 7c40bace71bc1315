"""Prepare one data set: data/raw/<acquire>/ becomes data/packed/<key>/, whole or not at all."""

import errno
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pandas as pd
from tqdm import tqdm

from protofair.core.atomic import sync_folder
from protofair.core.errors import UserError
from protofair.core.lock import only_process
from protofair.core.strict import did_you_mean
from protofair.data.attributes import ATTRIBUTES
from protofair.data.prepare.blocks import Recipe
from protofair.data.prepare.celeba import read_celeba
from protofair.data.prepare.config import Prepare
from protofair.data.prepare.declaration import read_declaration, refuse_changed
from protofair.data.prepare.labelled import Labelled, column_of, match, with_cuts
from protofair.data.prepare.nih import read_nih
from protofair.data.prepare.pack import pack
from protofair.data.prepare.problems import Problem, refuse_above
from protofair.data.prepare.select import divide, select, with_unreadable
from protofair.data.prepare.utkface import read_utkface
from protofair.data.prepare.write import write_set
from protofair.data.raw import find_images
from protofair.data.split.attribute import MAX_VALUES

CHANNELS = {"celeba": 3, "utkface": 3, "nih": 1}
CUTS = {"celeba": [], "utkface": ["age>=35"], "nih": ["age>=60"]}  # columns every prepared set has


def prepare(
    key: str,
    config: Prepare,
    *,
    data: Path,
    workers: int,
    say: Callable[[str], object] = print,
    show_progress: bool = False,
) -> Path:
    """Pack the raw files that `config` names and return the folder."""
    raw, out, where = data / "raw" / config.acquire, data / "packed" / key, f"prepare {key}"
    acquired = read_declaration(data / "acquired" / f"{config.acquire}.json", config)
    entries = {entry.name: entry for entry in find_images(raw)}
    refuse_changed(raw, entries.values(), acquired, config)
    labelled = match(_read(raw, list(entries), config), entries)
    if labelled.table.empty:
        raise UserError(f"{raw}: none of its {len(entries):,} images has a label. Acquire the data set again.")
    labelled = replace(labelled, table=_with_attributes(labelled, config, where=where))
    if config.split is not None:
        divide(labelled.table, config.split, where=where)  # what fails with all images fails before they are decoded
    listing, partial, ready = (out.with_name(f".{key}.{name}") for name in ("problems.csv", "partial", "ready"))

    def refuse(problems: list[Problem]) -> None:
        refuse_above(config.max_problems, problems, total=labelled.total, where=str(raw), listing=listing)

    busy = f"{out}: another `protofair prepare` is at work on it. Wait for it to end."
    with only_process(out.with_name(f".{key}.lock"), otherwise=busy), _plain_words_for_a_full_disk(out):
        refuse(labelled.problems)
        chosen = [entries[name] for name in labelled.table["id"]]
        with tqdm(total=len(chosen), unit=" images", desc=f"packing {key}", disable=not show_progress) as bar:
            pixels = pack(
                chosen,
                partial,
                Recipe(config.size, CHANNELS[config.dataset], config.crop),
                workers=workers,
                content=acquired["images"]["sha256"],
                advance=bar.update,
            )
        labelled = with_unreadable(labelled, pixels)
        refuse(labelled.problems)
        selected = select(labelled, pixels, config, where=where)
        shutil.rmtree(ready, ignore_errors=True)
        ready.mkdir()
        for warning in write_set(ready, key, config, acquired, selected):
            say(f"warning: {warning}")
        _put_in_place(ready, out)
        shutil.rmtree(partial)
        listing.unlink(missing_ok=True)
    return out


def _read(raw: Path, names: list[str], config: Prepare) -> Labelled:
    if config.dataset == "celeba":
        return read_celeba(raw)
    if config.dataset == "nih":
        return read_nih(raw, views=config.views, val_share=config.val_share, seed=config.seed)
    return read_utkface(names)


def _with_attributes(labelled: Labelled, config: Prepare, *, where: str) -> pd.DataFrame:
    """The label table with a column for every attribute of the pairs; one that cannot be is a `UserError`."""
    wanted = [attribute for pair in config.counted_pairs for attribute in (pair.target, pair.sensitive)]
    table = with_cuts(labelled.table, [*CUTS[config.dataset], *wanted])
    for attribute in wanted:
        column = column_of(attribute)
        if column not in table.columns:
            raise UserError(
                f"{where}: no attribute '{attribute}'. {did_you_mean(attribute, ATTRIBUTES[config.dataset])}"
            )
        if (count := table[column].nunique()) > MAX_VALUES:
            raise UserError(f"{where}: '{attribute}' has {count} values. Cut it at a threshold: '{attribute}>=60'.")
    return table


@contextmanager
def _plain_words_for_a_full_disk(out: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise UserError(f"{out}: the disk is full. Free some space and run it again: it continues.") from None


def _put_in_place(ready: Path, out: Path) -> None:
    """Rename the finished folder; one of that name goes."""
    old = out.with_name(f".{out.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if out.exists():
        out.rename(old)
    ready.rename(out)
    sync_folder(out.parent)
    shutil.rmtree(old, ignore_errors=True)
