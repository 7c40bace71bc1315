"""What is known of the official sets, to hold a prepared one against."""

from dataclasses import dataclass

import pandas as pd

from protofair.core.packed import SPLITS
from protofair.data.prepare.labelled import majority

OFFICIAL: dict[str, dict[str, int | float]] = {
    "celeba": {
        "images": 202_599,
        "images in train": 162_770,
        "images in val": 19_867,
        "images in test": 19_962,
        "majority rate of Attractive in test, %": 50.42,
        "majority rate of Big_Nose in test, %": 78.80,
        "majority rate of Bags_Under_Eyes in test, %": 79.74,
    },
    "utkface": {
        "images": 23_708,
        "images with a full label": 23_705,
        "White images": 10_078,
        "Black images": 4_526,
        "Asian images": 3_434,
        "Indian images": 3_975,
        "Others images": 1_692,
        "male images": 12_391,
        "female images": 11_314,
        "groups of byte-identical images": 375,
        "images in such groups": 765,
        "such groups whose labels disagree": 259,
    },
    "nih": {
        "images": 112_120,
        "patients": 30_805,
        "images with Pneumothorax": 5_302,
        "images in train and val": 86_524,
        "images in test": 25_596,
        "majority rate of Pneumothorax in test, %": 89.59,
    },
}


TARGETS = {"celeba": ("Attractive", "Big_Nose", "Bags_Under_Eyes"), "nih": ("Pneumothorax",)}


@dataclass(frozen=True)
class Check:
    """One number of a prepared set beside the official one."""

    what: str
    found: int | float
    official: int | float

    @property
    def agrees(self) -> bool:
        return self.found == self.official

    def __str__(self) -> str:
        return f"{self.what}: {self.found:,} here, {self.official:,} in the official set"


def compare(dataset: str, facts: dict[str, int | float]) -> list[Check]:
    """Every fact of which an official number is known."""
    return [Check(what, facts[what], number) for what, number in OFFICIAL[dataset].items() if what in facts]


def packed_facts(dataset: str, table: pd.DataFrame) -> dict[str, int | float]:
    """What can be counted in the packed labels; UTKFace's split leaves images out, so its names are counted instead."""
    facts: dict[str, int | float] = {}
    if dataset == "utkface":
        return facts
    facts["images"] = len(table)
    facts |= {f"images in {split}": int((table["split"] == split).sum()) for split in SPLITS}
    if dataset == "nih":
        facts["images in train and val"] = len(table) - facts["images in test"]
        facts["patients"] = table["patient"].nunique()
        facts["images with Pneumothorax"] = int(table["Pneumothorax"].sum())
    test = table[table["split"] == "test"]
    return facts | {
        f"majority rate of {target} in test, %": round(majority(test[target]), 2) for target in TARGETS[dataset]
    }
