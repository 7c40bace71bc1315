"""UTKFace: labels from the file names."""

from collections.abc import Iterable

from protofair.data.prepare.labelled import Labelled
from protofair.data.prepare.problems import Problem
from protofair.data.utkface import GENDERS, RACES, label_table


def read_utkface(names: Iterable[str]) -> Labelled:
    """The labels of every image whose name carries them all."""
    table, rejected = label_table(names)
    problems = [Problem("no-label", name, reason) for name, reason in rejected.items()]
    facts: dict[str, int | float] = {"images": len(table) + len(rejected), "images with a full label": len(table)}
    facts |= {f"{race} images": int((table["race"] == number).sum()) for number, race in enumerate(RACES)}
    facts |= {f"{gender} images": int((table["gender"] == number).sum()) for number, gender in enumerate(GENDERS)}
    return Labelled(table, len(table) + len(rejected), problems, facts)
