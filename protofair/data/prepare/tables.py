"""Lines and rows of the official tables, each with its number, so that an error can name it."""

import csv
from collections.abc import Hashable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from protofair.core.errors import UserError
from protofair.data.prepare.problems import Problem

Line = tuple[int, list[str]]  # line number from 1, fields
AGAIN = "Delete this file first, then acquire the official one: protofair acquire --help"
Value = TypeVar("Value", bound=Hashable)


def malformed(path: Path, line: int, what: str) -> UserError:
    """The error for a line that cannot be read; raise it."""
    return UserError(f"{path}: line {line}: {what} {AGAIN}")


def spaced(path: Path) -> Iterator[Line]:
    """The lines of a table whose columns are divided by any number of spaces; blank lines are left out."""
    for number, text in enumerate(_text(path).split("\n"), start=1):
        if fields := text.split():
            yield number, fields


def commaed(path: Path) -> Iterator[Line]:
    """The lines of a CSV file, fields stripped; blank lines are left out."""
    reader = csv.reader(_text(path).split("\n"), strict=True)
    try:
        for fields in reader:
            if any(field.strip() for field in fields):
                yield reader.line_num, [field.strip() for field in fields]
    except csv.Error as error:
        raise malformed(path, reader.line_num, f"not a line of a CSV file ({error}).") from None


def once(path: Path, rows: Iterable[tuple[int, str, Value]]) -> tuple[dict[str, Value], list[Problem]]:
    """Rows (line, id, value) by id. Of a repeated row the first stays; where its repeats differ from it, none does."""
    values: dict[str, Value] = {}
    repeats: dict[str, list[int]] = {}
    differ: set[str] = set()
    for line, name, value in rows:
        if name not in values:
            values[name] = value
            continue
        repeats.setdefault(name, []).append(line)
        if value != values[name]:
            differ.add(name)
    problems = [
        Problem(
            "repeated",
            name,
            f"{path.name}, again in line {', '.join(map(str, lines))}: "
            + ("with other values, none kept" if name in differ else "with the same values, first kept"),
        )
        for name, lines in repeats.items()
    ]
    return {name: value for name, value in values.items() if name not in differ}, problems


def _text(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not a text file ({error.reason} at byte {error.start}). {AGAIN}") from None
    return text
