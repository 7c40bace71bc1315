"""CelebA's tables, as published (`.txt`, columns padded with spaces) or as Kaggle has them (`.csv`)."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from protofair.core.errors import UserError
from protofair.core.strict import did_you_mean
from protofair.data.attributes import CELEBA
from protofair.data.prepare.labelled import Labelled
from protofair.data.prepare.problems import Problem
from protofair.data.prepare.tables import Line, commaed, malformed, once, spaced
from protofair.data.raw import find_table

VALUES = {"-1": 0, "1": 1}
PARTITION = {"0": "train", "1": "val", "2": "test"}
Attributes = tuple[int, ...]


def read_celeba(folder: Path) -> Labelled:
    """The 40 attributes as 0 and 1, and the official partition, of every image named in the tables of `folder`."""
    attributes, problems = read_attributes(find_table(folder, "list_attr_celeba.txt", "list_attr_celeba.csv"))
    path = find_table(folder, "list_eval_partition.txt", "list_eval_partition.csv")
    partition, more = read_partition(path)
    problems += more
    _check_identities(folder, partition, path)
    names = sorted(attributes.keys() & partition.keys())
    problems += [Problem("no-split", name, f"not in {path.name}") for name in attributes.keys() - partition.keys()]
    problems += [Problem("no-label", name, f"only in {path.name}") for name in partition.keys() - attributes.keys()]
    values = np.array([attributes[name] for name in names], dtype=np.int64).reshape(len(names), len(CELEBA))
    table = pd.DataFrame(values, columns=list(CELEBA))
    table.insert(0, "id", names)
    table.insert(1, "split", [partition[name] for name in names])
    return Labelled(table, len(attributes), problems)


def read_attributes(path: Path) -> tuple[dict[str, Attributes], list[Problem]]:
    """The attributes of each image, 0 or 1 in the order of `CELEBA`."""
    lines = commaed(path) if path.suffix == ".csv" else spaced(path)
    count = None if path.suffix == ".csv" else _count(path, lines)
    order = _header(path, lines)
    rows = [(number, fields[0], _attributes(path, number, fields, order)) for number, fields in lines]
    if count is not None and count != len(rows):
        raise UserError(
            f"{path}: {len(rows)} rows, but its first line says {count}. It is cut off: delete it and acquire it again."
        )
    return once(path, rows)


def read_partition(path: Path) -> tuple[dict[str, str], list[Problem]]:
    """The official split of each image."""
    rows = []
    for number, name, value in _pairs(path):
        if value not in PARTITION:
            raise malformed(path, number, f"partition '{value}' is not 0, 1 or 2.")
        rows.append((number, name, PARTITION[value]))
    return once(path, rows)


def _count(path: Path, lines: Iterator[Line]) -> int:
    number, fields = next(lines, (1, []))
    if len(fields) != 1 or not fields[0].isdecimal():
        raise malformed(path, number, "the number of images must stand here.")
    return int(fields[0])


def _header(path: Path, lines: Iterator[Line]) -> list[int]:
    """For each official attribute, the column that has it."""
    number, names = next(lines, (1, []))
    if path.suffix == ".csv":
        names = names[1:]
    for name in names:
        if name not in CELEBA:
            raise malformed(path, number, f"unknown attribute '{name}'. {did_you_mean(name, CELEBA)}")
    if sorted(names) != sorted(CELEBA):
        raise malformed(path, number, f"{len(names)} attribute names, not each of the {len(CELEBA)} once.")
    return [names.index(name) for name in CELEBA]


def _attributes(path: Path, number: int, fields: list[str], order: list[int]) -> Attributes:
    if len(fields) != len(CELEBA) + 1:
        raise malformed(path, number, f"{len(fields)} columns, not a name and {len(CELEBA)} attributes.")
    try:
        return tuple(VALUES[fields[column + 1]] for column in order)
    except KeyError as error:
        raise malformed(path, number, f"value {error} is not -1 or 1.") from None


def _pairs(path: Path) -> Iterator[tuple[int, str, str]]:
    """The rows of a table with an image and one value; a CSV file has a header."""
    lines = commaed(path) if path.suffix == ".csv" else spaced(path)
    if path.suffix == ".csv":
        next(lines, None)
    for number, fields in lines:
        if len(fields) != 2:
            raise malformed(path, number, f"{len(fields)} columns, not an image and a value.")
        yield number, fields[0], fields[1]


def _check_identities(folder: Path, partition: dict[str, str], path: Path) -> None:
    """Refuse a partition that has a person in two splits; without the optional table nothing can be said."""
    table = folder / "identity_CelebA.txt"
    if not table.is_file():
        return
    split_of: dict[str, str] = {}
    for number, name, person in _pairs(table):
        split = partition.get(name)
        if split is not None and split_of.setdefault(person, split) != split:
            raise UserError(
                f"{table}: line {number}: person {person} is in {split_of[person]} and, with {name}, in {split}, so "
                f"{path.name} is not the official partition. Delete it, then acquire it again."
            )
