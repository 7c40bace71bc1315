"""NIH ChestX-ray14: the table of findings and the two official lists, patients disjoint."""

import hashlib
import re
from collections.abc import Collection
from pathlib import Path
from typing import Literal, NamedTuple

import pandas as pd

from protofair.core.errors import UserError
from protofair.core.strict import did_you_mean
from protofair.data.attributes import FINDINGS
from protofair.data.prepare.labelled import Labelled
from protofair.data.prepare.problems import Problem
from protofair.data.prepare.tables import commaed, malformed, once, spaced
from protofair.data.raw import find_table

# The last two are `OriginalImage[Width,Height]` and `OriginalImagePixelSpacing[x,y]`; their own commas divide them, so
# that a line has 11 fields. The edition of 2017 ends its lines with one more comma.
COLUMNS = [
    "Image Index", "Finding Labels", "Follow-up #", "Patient ID", "Patient Age", "Patient Gender", "View Position",
    "OriginalImage[Width", "Height]", "OriginalImagePixelSpacing[x", "y]",
]  # fmt: skip
NO_FINDING = "No Finding"
SEXES = {"F": 0, "M": 1}
VIEWS = {"PA": 0, "AP": 1}
AGE = re.compile(r"(?P<number>\d{1,3})(?P<unit>[YMD]?)", re.ASCII)
MAX_AGE = 120


class Exam(NamedTuple):
    """One row of the table."""

    findings: frozenset[str]
    patient: int
    age: int  # years
    sex: int
    view: int


def read_nih(folder: Path, *, views: Literal["all", "PA", "AP"], val_share: float, seed: int) -> Labelled:
    """The findings as 0 and 1, sex, age, view and patient of every image.

    Test is the official list; validation takes `val_share` of the patients of the other one.
    """
    path = find_table(folder, "Data_Entry_2017_v2020.csv", "Data_Entry_2017.csv")
    exams, problems = read_exams(path)
    lists = {}
    for name in ("train_val_list.txt", "test_list.txt"):
        lists[name], more = read_list(find_table(folder, name))
        problems += more
    train_val, test = (set(names) for names in lists.values())
    _check_disjoint(folder, exams, train_val, test)
    for name in exams.keys() - train_val - test:
        problems.append(Problem("no-split", name, f"in neither {' nor '.join(lists)}"))
    for name in (train_val | test) - exams.keys():
        problems.append(Problem("no-label", name, f"listed, but not in {path.name}"))
    for name, exam in exams.items():
        if exam.age > MAX_AGE:
            problems.append(Problem("implausible", name, f"age {exam.age}"))
    names = sorted(exams.keys() & (train_val | test))
    patients = {exams[name].patient for name in train_val & exams.keys()}
    held_out = validation_patients(patients, share=val_share, seed=seed)
    table = _table(
        {name: exams[name] for name in names},
        ["test" if name in test else "val" if exams[name].patient in held_out else "train" for name in names],
    )
    if views == "all":
        return Labelled(table, len(exams), problems)
    kept = table["view"] == VIEWS[views]
    left_out = {f"view other than {views}": table["id"][~kept].tolist()}
    return Labelled(table[kept].reset_index(drop=True), len(exams), problems, left_out=left_out)


def read_exams(path: Path) -> tuple[dict[str, Exam], list[Problem]]:
    """The table by image name."""
    lines = commaed(path)
    number, header = next(lines, (1, []))
    if header not in (COLUMNS, [*COLUMNS, ""]):
        raise malformed(path, number, f"the header must be {', '.join(COLUMNS)}.")
    rows = []
    for number, fields in lines:
        if len(fields) != len(header):
            raise malformed(path, number, f"{len(fields)} fields, the header has {len(header)}.")
        rows.append((number, fields[0], _exam(path, number, fields)))
    return once(path, rows)


def read_list(path: Path) -> tuple[dict[str, bool], list[Problem]]:
    """The image names of an official list."""
    rows = []
    for number, fields in spaced(path):
        if len(fields) != 1:
            raise malformed(path, number, "more than one name.")
        rows.append((number, fields[0], True))
    return once(path, rows)


def validation_patients(patients: Collection[int], *, share: float, seed: int) -> set[int]:
    """A random but fixed `share` of the patients; depends on the seed and who they are, not on their order."""
    ranked = sorted(patients, key=lambda patient: hashlib.sha256(f"{seed}:{patient}".encode()).digest())
    return set(ranked[: round(share * len(ranked))])


def _exam(path: Path, number: int, fields: list[str]) -> Exam:
    _, findings, _, patient, age, sex, view, *_ = fields
    found = {finding.strip() for finding in findings.split("|")}
    for finding in sorted(found - {*FINDINGS, NO_FINDING}):
        raise malformed(path, number, f"unknown finding '{finding}'. {did_you_mean(finding, FINDINGS)}")
    if NO_FINDING in found and len(found) > 1:
        raise malformed(path, number, f"'{NO_FINDING}' together with a finding.")
    years = AGE.fullmatch(age)
    if not years:
        raise malformed(path, number, f"age '{age}' is not a number of years.")
    if not (patient.isascii() and patient.isdecimal()):
        raise malformed(path, number, f"patient '{patient}' is not a number.")
    for value, known in ((sex, SEXES), (view, VIEWS)):
        if value not in known:
            raise malformed(path, number, f"'{value}' is not {' or '.join(known)}.")
    # The edition of 2017 writes 058Y, and the age of infants in months (M) or days (D).
    in_years = int(years["number"]) // {"": 1, "Y": 1, "M": 12, "D": 365}[years["unit"]]
    return Exam(frozenset(found - {NO_FINDING}), int(patient), in_years, SEXES[sex], VIEWS[view])


def _check_disjoint(folder: Path, exams: dict[str, Exam], train_val: set[str], test: set[str]) -> None:
    if both := sorted(train_val & test):
        raise UserError(
            f"{folder}: {both[0]} is in train_val_list.txt and in test_list.txt. Delete the lists, then acquire them."
        )
    train_patients = {exams[name].patient for name in train_val & exams.keys()}
    for name in sorted(test & exams.keys()):
        if exams[name].patient in train_patients:
            raise UserError(
                f"{folder}: patient {exams[name].patient} is in train_val_list.txt and, with {name}, in test_list.txt. "
                "The official lists divide the patients: delete these, then acquire them."
            )


def _table(exams: dict[str, Exam], splits: list[str]) -> pd.DataFrame:
    columns: dict[str, list[str] | list[int]] = {"id": list(exams), "split": splits}
    columns |= {finding: [int(finding in exam.findings) for exam in exams.values()] for finding in FINDINGS}
    columns |= {name: [getattr(exam, name) for exam in exams.values()] for name in ("sex", "age", "view", "patient")}
    return pd.DataFrame(columns)
