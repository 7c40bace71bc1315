"""UTKFace keeps its labels in the file names: `[age]_[gender]_[race]_[stamp].jpg.chip.jpg`."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

GENDERS = ("male", "female")
RACES = ("White", "Black", "Asian", "Indian", "Others")
MAX_AGE = 116

# Beside the usual form, the official set has a name with a space before `.jpg`, one without the dot, and stamps of 16
# and 18 digits: they carry every label. The race is optional here only to say that it is missing.
NAME = re.compile(
    r"(?P<age>0|[1-9][0-9]{0,2})_(?P<gender>[0-9])_(?:(?P<race>[0-9])_)?[0-9]{16,18}(?:| ?\.)jpg\.chip\.jpg"
)


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
    """Read the labels of a file name (without folders); a `ValueError` says why where it does not carry them all."""
    match = NAME.fullmatch(name)
    if match is None:
        raise ValueError("not of the form [age]_[gender]_[race]_[stamp].jpg.chip.jpg")
    if match["race"] is None:
        raise ValueError("no race field")
    age, gender, race = int(match["age"]), int(match["gender"]), int(match["race"])
    if age > MAX_AGE:
        raise ValueError(f"age {age} is not in 0 to {MAX_AGE}")
    if gender >= len(GENDERS):
        raise ValueError(f"gender {gender} is not 0 (male) or 1 (female)")
    if race >= len(RACES):
        raise ValueError(f"race {race} is not in 0 to {len(RACES) - 1}")
    return Face(age, gender, race)


def label_table(names: Iterable[str]) -> tuple[pd.DataFrame, dict[str, str]]:
    """The labels (`id`, `age`, `gender`, `race`, `white`) sorted by name, and the rejected names with their reasons."""
    rows, rejected = [], {}
    for name in sorted(names):
        try:
            face = parse_name(name)
        except ValueError as reason:
            rejected[name] = str(reason)
        else:
            rows.append((name, face.age, face.gender, face.race, face.white))
    return pd.DataFrame(rows, columns=["id", "age", "gender", "race", "white"]), rejected
