"""What a folder has of a data set, in any of the usual layouts.

The archives and tables may lie anywhere below it, under their official or another usual name. So may the images: in one
folder (img_align_celeba/, UTKFace/, images/) or several (part1/ to part3/, images_001/images/ to images_012/images/).
They are recognised by their names, so one folder may hold all three data sets.
"""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from protofair.data.acquire.table import Dataset

DEPTH = 6


@dataclass
class Survey:
    files: dict[str, list[Path]] = field(default_factory=dict)  # by name, the nearest first
    folders: dict[Path, set[str]] = field(default_factory=dict)  # names of the images directly in a folder

    def candidates(self, dataset: Dataset, name: str) -> list[Path]:
        """The places of an official file: under its own name first, then under others, then in its other forms."""
        file = dataset.files[name]
        return [path for form in (name, *file.aliases, *file.also) for path in self.files.get(form, [])]


def survey(root: Path, dataset: Dataset) -> Survey:
    """Look through `root`, `DEPTH` levels deep, following links but no circles."""
    wanted = {form for name, file in dataset.files.items() for form in (name, *file.aliases, *file.also)}
    pattern = re.compile(dataset.images.names)
    found = Survey()
    visited: set[Path] = set()
    level = [root]
    for _ in range(DEPTH + 1):
        below: list[Path] = []
        for folder in level:
            if (real := folder.resolve()) in visited:
                continue
            visited.add(real)
            names, folders = _listing(folder)
            for name in wanted & names:
                found.files.setdefault(name, []).append(folder / name)
            if images := {name for name in names if pattern.fullmatch(name)}:
                found.folders[folder] = images
            below += [folder / name for name in sorted(folders)]
        level = below
    return found


def disjoint(folders: dict[Path, set[str]]) -> tuple[list[Path], list[str]]:
    """Folders that together have every image once, the largest first, and a note on each that was left out.

    Kaggle's UTKFace, for example, holds the whole set twice and a part of it twice more.
    """
    chosen: list[Path] = []
    notes: list[str] = []
    taken: set[str] = set()
    for folder in sorted(folders, key=lambda folder: (-len(folders[folder]), len(folder.parts), folder)):
        names = folders[folder]
        known = len(names & taken)
        if known:
            notes.append(f"{folder}: left out, {known:,} of its {len(names):,} images are in other folders already.")
            continue
        chosen.append(folder)
        taken |= names
    return sorted(chosen), notes


def _listing(folder: Path) -> tuple[set[str], set[str]]:
    """The names of the files and of the folders in a folder; hidden ones do not count."""
    files: set[str] = set()
    folders: set[str] = set()
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                # A link may lead to itself, which only pathlib forgives; other entries know without asking the disk.
                is_folder = Path(entry.path).is_dir() if entry.is_symlink() else entry.is_dir()
                (folders if is_folder else files).add(entry.name)
    except PermissionError:  # somebody else's
        pass
    return files, folders
