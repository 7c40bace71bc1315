"""The files of a packed set: the array, the tables, the manifest, the data card."""

import hashlib
import os
import shutil
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from protofair.core.atomic import write_json, write_text
from protofair.core.packed import SPLITS
from protofair.data.duplicates import Group
from protofair.data.prepare.arrays import write_rows
from protofair.data.prepare.card import build_card, render_card
from protofair.data.prepare.config import Prepare
from protofair.data.prepare.decode import LIBRARIES
from protofair.data.prepare.lookalikes import divided, find_lookalikes
from protofair.data.prepare.problems import KINDS, by_kind, write_problems
from protofair.data.prepare.select import Selected

FORMAT = 1
LISTED = 100  # names of one kind in the manifest; the CSV files have them all


def write_set(folder: Path, key: str, config: Prepare, acquired: dict[str, Any], selected: Selected) -> list[str]:
    """Write everything into the empty `folder`; returns the card's warnings. The same input makes the same bytes."""
    images = folder / "images.npy"
    _write_images(images, selected)
    _write_table(folder / "labels.csv", selected.table)
    _write_table(folder / "digests.csv", selected.table[["id"]].assign(sha256=selected.digests))
    write_problems(folder / "problems.csv", selected.problems)
    _write_table(folder / "identical.csv", _identical(selected))
    manifest = {
        "format": FORMAT,
        "key": key,
        "config": config.options,
        "acquired": acquired,
        "shape": list(np.load(images, mmap_mode="r").shape),
        "splits": {split: int((selected.table["split"] == split).sum()) for split in (*SPLITS, "")},
        "problems": {
            kind: {
                "what": KINDS[kind],
                "count": len(found),
                "first": [{"id": each.id, "why": each.detail} for each in found[:LISTED]],
            }
            for kind, found in by_kind(selected.problems).items()
        },
        "left_out": {reason: len(names) for reason, names in selected.left_out.items()},
        "identical": _identical_summary(selected),
    }
    if config.dataset == "utkface":
        pairs = find_lookalikes(images, selected.table)
        _write_table(folder / "lookalikes.csv", pairs)
        manifest["lookalikes"] = _lookalikes_summary(pairs)
    manifest["made_with"] = {name: version(name) for name in (*LIBRARIES, "numpy", "pandas")}
    manifest["files"] = {path.name: _facts(path) for path in sorted(folder.iterdir())}
    write_json(folder / "manifest.json", manifest)
    card = build_card(manifest, config, selected)
    write_json(folder / "card.json", card)
    write_text(folder / "card.html", render_card(card))
    warnings: list[str] = card["warnings"]
    return warnings


def _write_images(path: Path, selected: Selected) -> None:
    """The selected rows of the array; where all are, the array itself by a second name."""
    if len(selected.rows) < len(selected.pixels.digests):
        write_rows(path, selected.pixels.path, selected.rows)
        return
    try:
        os.link(selected.pixels.path, path)
    except OSError:  # a file system without hard links
        shutil.copyfile(selected.pixels.path, path)


def _write_table(path: Path, table: pd.DataFrame) -> None:
    write_text(path, table.to_csv(index=False, lineterminator="\n"))


def _identical(selected: Selected) -> pd.DataFrame:
    """One row a file of a byte-identical group: whether it is in the set, and on which labels the group disagrees."""
    kept = set(selected.table["id"])
    rows = [
        (number, name, int(name in kept), " ".join(group.disagree))
        for number, group in enumerate(selected.groups)
        for name in group.names
    ]
    return pd.DataFrame(rows, columns=["group", "id", "kept", "disagree"])


def _identical_summary(selected: Selected) -> dict[str, Any]:
    split_of = dict(zip(selected.table["id"], selected.table["split"], strict=True))
    files = [name for group in selected.groups for name in group.names]
    return {
        "groups": len(selected.groups),
        "images": len(files),
        "groups_whose_labels_disagree": sum(bool(group.disagree) for group in selected.groups),
        "groups_dropped": sum(group.kept is None for group in selected.groups),
        "images_dropped": sum(name not in split_of for name in files),
        "groups_in_two_splits": sum(_is_divided(group, split_of) for group in selected.groups),
        "first": [
            {
                "images": list(group.names),
                "kept": [name for name in group.names if name in split_of],
                "disagree": list(group.disagree),
            }
            for group in selected.groups[:LISTED]
        ],
    }


def _is_divided(group: Group, split_of: dict[str, str]) -> bool:
    return len({split_of[name] for name in group.names if split_of.get(name)}) > 1


def _lookalikes_summary(pairs: pd.DataFrame) -> dict[str, Any]:
    apart = divided(pairs)
    first: Sequence[dict[Any, Any]] = apart.head(LISTED).to_dict("records")
    return {"pairs": len(pairs), "pairs_in_two_splits": len(apart), "first_in_two_splits": first}


def _facts(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"bytes": path.stat().st_size, "sha256": digest}
