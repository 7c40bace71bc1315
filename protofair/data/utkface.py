"""UTKFace keeps its labels in the file names: `[age]_[gender]_[race]_[stamp].jpg.chip.jpg`."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

GENDERS = ("male", "female")
RACES = ("White", "Black", "Asian", "Indian", "Others")
MAX_AGE = 116

# Odd names of the official set that still carry every label: a space before `.jpg`, no dot before `jpg`, stamps of 16 or 18 digits.
NAME = re.compile(r"(?P<age>\d{1,3})_(?P<gender>\d)_(?:(?P<race>\d)_)?\d{16,18} ?\.?jpg\.chip\.jpg", re.ASCII)


class BadName(ValueError):
    """A file name that does not carry every label; its text says why."""


@dataclass(frozen=True)
class Face:
    """The labels of one file name."""

    age: int  # years, 0 to 116
    gender: int  # index in GENDERS
    race: int  # index in RACES

    @property
    def white(self) -> int:
        """The paper's sensitive attribute: 1 = White, 0 = any other."""
        return int(RACES[self.race] == "White")


def parse_name(name: str) -> Face:
    """Read the labels of a file name without folders; raises `BadName` with the reason where it does not carry them all."""
    match = NAME.fullmatch(name)
    if match is None:
        raise BadName("not of the form [age]_[gender]_[race]_[stamp].jpg.chip.jpg")
    if match["race"] is None:
        raise BadName("no race field")
    age, gender, race = int(match["age"]), int(match["gender"]), int(match["race"])
    if age > MAX_AGE:
        raise BadName(f"age {age} is not in 0 to {MAX_AGE}")
    if gender >= len(GENDERS):
        raise BadName(f"gender {gender} is not 0 (male) or 1 (female)")
    if race >= len(RACES):
        raise BadName(f"race {race} is not in 0 to {len(RACES) - 1}")
    return Face(age, gender, race)


def label_table(names: Iterable[str]) -> tuple[pd.DataFrame, dict[str, str]]:
    """The labels of many names, sorted by name (`id, age, gender, race, white`), and the rejected names with their reasons."""
    rows, rejected = [], {}
    for name in sorted(names):
        try:
            face = parse_name(name)
        except BadName as reason:
            rejected[name] = str(reason)
        else:
            rows.append((name, face.age, face.gender, face.race, face.white))
    return pd.DataFrame(rows, columns=["id", "age", "gender", "race", "white"]), rejected
