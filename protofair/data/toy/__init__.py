"""The embedded data: drawings with the paper's attributes and biases, in the official formats of its data sets."""

from importlib import import_module
from pathlib import Path

from protofair.errors import UserError
from protofair.strict import did_you_mean

CORRELATION = {"celeba": 0.4, "utkface": 0.0, "nih": 0.5}
LIMIT = {"celeba": 0.5, "utkface": 1.0, "nih": 1.0}


def draw(dataset: str, folder: Path, *, images: int, seed: int = 0, correlation: float | None = None) -> None:
    """Write the official files of `dataset` into `folder`; the same arguments make the same bytes.

    `correlation` is the phi coefficient of each target with each sensitive attribute (in CelebA every target has two).
    """
    if dataset not in CORRELATION:
        raise UserError(f"toy: no data set '{dataset}'. {did_you_mean(dataset, CORRELATION)}")
    if images < 1:
        raise UserError(f"toy: {images} images. At least one is needed.")
    if correlation is None:
        correlation = CORRELATION[dataset]
    if not abs(correlation) <= LIMIT[dataset]:
        raise UserError(f"toy: a correlation of {correlation}. For {dataset} it must lie within ±{LIMIT[dataset]}.")
    folder.mkdir(parents=True, exist_ok=True)
    import_module(f"protofair.data.toy.{dataset}").write(folder, images=images, correlation=correlation, seed=seed)
