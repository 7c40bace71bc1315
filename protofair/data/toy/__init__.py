"""The embedded data: drawings with the paper's attributes and biases, in the official formats of its data sets."""

from importlib import import_module
from pathlib import Path
from typing import Any

from protofair.core.atomic import make_folder
from protofair.core.errors import UserError
from protofair.core.strict import did_you_mean

CORRELATION = {"celeba": 0.45, "utkface": 0.0, "nih": 0.5}  # an alpha split brings its own to UTKFace
DRAWN = ".drawn"  # marks a folder whose files were drawn here and may be drawn again
HIGHEST = {"celeba": 0.5, "utkface": 1.0, "nih": 1.0}  # in CelebA a target shares its correlation with two attributes


def draw(dataset: str, folder: Path, *, images: int, seed: int = 0, correlation: float | None = None) -> None:
    """Write the official files of `dataset` into `folder`; the same arguments make the same bytes.

    `correlation` is the phi coefficient between a target and a sensitive attribute: in CelebA of each of the targets
    Attractive, Big_Nose, Bags_Under_Eyes with Male and with Young, in UTKFace of male with White, in NIH of
    Pneumothorax with male.
    """
    writer = drawer(dataset)
    correlation = checked(dataset, correlation)
    if images < 1:
        raise UserError(f"toy: {images} images of {dataset}. Ask for at least one.")
    make_folder(folder)
    refuse_others(folder)
    (folder / DRAWN).touch()
    writer.write(folder, images=images, correlation=correlation, seed=seed)


def refuse_others(folder: Path) -> None:
    """Refuse a folder that holds what was not drawn: it may be somebody's only copy."""
    others = [path for path in folder.iterdir() if not path.name.startswith(".")]
    if others and (not (folder / DRAWN).exists() or any(path.is_dir() for path in others)):
        raise UserError(f"{folder}: holds files that were not drawn. Draw somewhere else, or move them away.")


def drawer(dataset: str) -> Any:
    """The module that draws a data set: it has `write` and `examples`."""
    if dataset not in CORRELATION:
        raise UserError(f"toy: no data set '{dataset}'. {did_you_mean(dataset, CORRELATION)}")
    return import_module(f"protofair.data.toy.{dataset}")


def checked(dataset: str, correlation: float | None) -> float:
    """The data set's own correlation where none is given; one that cannot be is a `UserError`."""
    if correlation is None:
        return CORRELATION[dataset]
    if not abs(correlation) <= HIGHEST[dataset]:
        raise UserError(f"toy: a correlation of {correlation}. In {dataset} it is at most ±{HIGHEST[dataset]}.")
    return correlation
