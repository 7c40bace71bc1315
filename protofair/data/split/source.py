"""The label table a split is made from: from images in a folder or an archive, a list of names, or a table."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from protofair.core.errors import UserError
from protofair.data import raw
from protofair.data.duplicates import Group, duplicate_groups, without_duplicates
from protofair.data.split.attribute import attribute_values
from protofair.data.utkface import label_table


@dataclass(frozen=True)
class Source:
    """The labels to split, and what was left out of them."""

    table: pd.DataFrame
    rejected: dict[str, str]  # names without labels, and why
    duplicates: list[Group] | None  # None where there are no bytes to compare

    def summary(self) -> str:
        """What was left out, in words."""
        lines = [f"{name}: left out, {reason}." for name, reason in self.rejected.items()]
        if self.duplicates is None:
            lines.append("Duplicates were not looked for: that takes the images.")
        else:
            groups = self.duplicates
            files = sum(len(group.names) for group in groups)
            differ = sum(bool(group.disagree) for group in groups)
            dropped = sum(group.kept is None for group in groups)
            lines.append(
                f"{len(groups)} groups of byte-identical files ({files} files), {differ} with labels that disagree. "
                f"Left out whole since target or sensitive value disagree: {dropped}. Of the others one file is kept."
            )
        return "\n".join([*lines, f"{len(self.table):,} images to split."])


def read_source(path: Path, *, decisive: Sequence[str]) -> Source:
    """Read the labels at `path`: a folder, .tar or .zip of images, a .txt with a name a line, or a .csv label table.

    `decisive` are the attributes on which byte-identical files must agree.
    """
    if not path.exists():
        raise UserError(f"{path}: no such file or folder.")
    if path.suffix == ".csv" and path.is_file():
        return Source(_read_csv(path), rejected={}, duplicates=None)
    if path.suffix == ".txt" and path.is_file():
        table, rejected = _labels(path, _read_names(path))
        return Source(table, rejected, duplicates=None)
    digests = _digests(path)
    table, rejected = _labels(path, digests)
    derived = table.assign(**{attribute: attribute_values(table, attribute) for attribute in decisive})
    groups = duplicate_groups(derived, [digests[name] for name in table["id"]], decisive=decisive)
    return Source(without_duplicates(table, groups), rejected, groups)


def _labels(path: Path, names: Iterable[str]) -> tuple[pd.DataFrame, dict[str, str]]:
    table, rejected = label_table(names)
    if table.empty:
        raise UserError(f"{path}: no file name of UTKFace in it. They look like 26_1_0_20170104165522163.jpg.chip.jpg")
    return table, rejected


def _digests(path: Path) -> dict[str, str]:
    """The hash of every image in a folder or an archive, by name."""
    if path.is_dir():
        entries: Sequence[raw.Entry] = raw.find_images(path)
    elif path.suffix == ".tar":
        entries = list(raw.images_in_tar(path))
    elif path.suffix == ".zip":
        entries = list(raw.images_in_zip(path))
    elif path.suffix in (".gz", ".tgz"):
        raise UserError(f"{path}: compressed as a whole, so no image can be looked up. First: gunzip --keep {path}")
    else:
        raise UserError(f"{path}: give a folder, a .tar or .zip with the images, a .txt with their names, or a .csv.")
    digests: dict[str, str] = {}
    for entry in raw.reading_order(entries):
        if entry.name in digests:
            raise UserError(f"{path}: '{entry.name}' is there twice. Give the part with the whole set.")
        try:
            digests[entry.name] = hashlib.sha256(entry.read()).hexdigest()
        except OSError as error:
            raise UserError(f"{path}: '{entry.name}' cannot be read ({error}). Fetch it again.") from None
    return digests


def _read_names(path: Path) -> set[str]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise UserError(f"{path}: not a text file. Give one file name a line.") from None
    return {Path(line).name for line in lines if line}


def _read_csv(path: Path) -> pd.DataFrame:
    try:
        table = pd.read_csv(path, dtype={"id": str, "split": str}, keep_default_na=False)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: not a label table ({' '.join(str(error).split())}).") from None
    if "id" not in table:
        raise UserError(f"{path}: no column 'id'. A label table has an id and one integer column an attribute.")
    if table.empty:
        raise UserError(f"{path}: no rows. A label table has one an image.")
    return table
