"""The data card: what is in a prepared set, what is not and why, and how it compares with the official one."""

from pathlib import Path
from typing import Any

import jinja2
import pandas as pd

from protofair.core.packed import SPLITS
from protofair.data.prepare.config import Pair, Prepare
from protofair.data.prepare.labelled import column_of, majority
from protofair.data.prepare.official import compare
from protofair.data.prepare.select import Selected
from protofair.data.split.attribute import value_name

TITLES = {"celeba": "CelebA", "utkface": "UTKFace", "nih": "NIH ChestX-ray14"}
NIH_VALUES = {"sex": ("female", "male"), "view": ("PA", "AP")}


def build_card(manifest: dict[str, Any], config: Prepare, selected: Selected) -> dict[str, Any]:
    """Everything the card shows, as plain values for card.json and the template."""
    table, dataset = selected.table, config.dataset
    official = manifest["acquired"]["source"] == "official"
    whole = official and not selected.left_out  # of a chosen part no official number is known
    checks = compare(dataset, selected.facts) if whole else []
    card = {
        "title": TITLES[dataset],
        "official": official,
        **{name: manifest[name] for name in ("key", "config", "shape", "splits", "problems", "left_out", "identical")},
        "lookalikes": manifest.get("lookalikes"),
        "pairs": [_pair(table, pair, dataset) for pair in config.counted_pairs],
        "checks": [
            {"what": check.what, "found": check.found, "official": check.official, "agrees": check.agrees}
            for check in checks
        ],
        "notes": manifest["acquired"].get("notes", []),
        "licence": manifest["acquired"].get("licence"),
        "source_files": manifest["acquired"]["files"],
        "source_images": manifest["acquired"]["images"],
        "files": manifest["files"],
    }
    return card | {"warnings": [str(check) for check in checks if not check.agrees] + _warnings(card)}


def render_card(card: dict[str, Any]) -> str:
    """The card as one HTML file that needs no other."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["count"] = lambda number: f"{number:,}"
    return environment.get_template("card.html.j2").render(card)


def _pair(table: pd.DataFrame, pair: Pair, dataset: str) -> dict[str, Any]:
    """The cells of a target (rows) and a sensitive attribute (columns) in each split; the target's majority rate."""
    target, sensitive = column_of(pair.target), column_of(pair.sensitive)
    values = {name: sorted(int(value) for value in table[name].unique()) for name in (target, sensitive)}
    splits = {}
    for split in SPLITS:
        part = table[table["split"] == split]
        cells = pd.crosstab(part[target], part[sensitive]).reindex(
            index=values[target], columns=values[sensitive], fill_value=0
        )
        splits[split] = {"cells": cells.to_numpy().tolist(), "majority": round(majority(part[target]), 2)}
    return {
        "target": target,
        "sensitive": sensitive,
        "target_values": [_value_name(dataset, pair.target, value) for value in values[target]],
        "sensitive_values": [_value_name(dataset, pair.sensitive, value) for value in values[sensitive]],
        "splits": splits,
    }


def _value_name(dataset: str, attribute: str, value: int) -> str:
    if dataset == "nih" and attribute in NIH_VALUES:
        return NIH_VALUES[attribute][value]
    return value_name(attribute, value)


def _warnings(card: dict[str, Any]) -> list[str]:
    found = [f"{problem['what']}: {problem['count']:,}" for problem in card["problems"].values()]
    if groups := card["identical"]["groups_in_two_splits"]:
        found.append(f"{groups:,} groups of byte-identical images are in two splits")
    if card["lookalikes"] and (pairs := card["lookalikes"]["pairs_in_two_splits"]):
        found.append(f"{pairs:,} pairs of images that look the same are in two splits")
    for pair in card["pairs"]:
        for split, part in pair["splits"].items():
            if any(0 in row for row in part["cells"]):
                found.append(f"{split} has an empty cell of {pair['target']} and {pair['sensitive']}")
    return found
