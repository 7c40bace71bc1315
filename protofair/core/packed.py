"""The packed set: one memory-mapped array of images with labels and splits, written by `prepare`, read by every stage.

images.npy     uint8 [N, H, W, C], C = 3 or 1 (grey)
labels.csv     one row an image: `id` (official name), `split` (train, val, test; empty if unused), integer attributes
manifest.json  what it is, how it was made, hashes
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from protofair.core.errors import UserError
from protofair.core.strict import did_you_mean

SPLITS = ("train", "val", "test")


@dataclass(frozen=True)
class Packed:
    """A packed set opened for reading; images stay on disk until they are indexed."""

    path: Path
    images: np.ndarray
    labels: pd.DataFrame
    manifest: dict[str, Any]

    @classmethod
    def open(cls, path: Path) -> "Packed":
        """Open the folder `path`; what is missing or does not fit together is a `UserError`."""
        again = f"Delete {path} and prepare it again."
        for name in ("images.npy", "labels.csv", "manifest.json"):
            if not (path / name).is_file():
                raise UserError(f"{path / name}: no such file. Prepare it first: protofair prepare {path.name}")
        try:
            images = np.lib.format.open_memmap(path / "images.npy", mode="r")
        except (ValueError, EOFError) as error:
            raise UserError(f"{path / 'images.npy'}: not a readable array ({error}). {again}") from None
        if images.ndim != 4 or images.dtype != np.uint8:
            raise UserError(
                f"{path / 'images.npy'}: {images.dtype} {list(images.shape)}, not uint8 [N, H, W, C]. {again}"
            )
        manifest = _read_manifest(path / "manifest.json", again)
        recorded = manifest.get("files", {}).get("labels.csv", {}).get("sha256")
        if recorded not in (None, hashlib.sha256((path / "labels.csv").read_bytes()).hexdigest()):
            raise UserError(f"{path / 'labels.csv'}: changed since it was prepared. {again}")
        labels = _read_labels(path / "labels.csv", again)
        if len(labels) != len(images):
            raise UserError(f"{path}: {len(images)} images but {len(labels)} labels. {again}")
        return cls(path, images, labels, manifest)

    @property
    def attributes(self) -> list[str]:
        """The names a target or a sensitive attribute can have."""
        return [name for name in self.labels.columns if name not in ("id", "split")]

    def rows(self, split: str) -> np.ndarray:
        """The positions of a split's images, int64 [n]."""
        return np.flatnonzero((self.labels["split"] == split).to_numpy())

    def values(self, attribute: str, rows: np.ndarray) -> np.ndarray:
        """An attribute of some rows, int64 [n]."""
        if attribute not in self.attributes:
            raise UserError(f"{self.path}: no attribute '{attribute}'. {did_you_mean(attribute, self.attributes)}")
        return self.labels[attribute].to_numpy(dtype=np.int64)[rows]


def _read_manifest(path: Path, again: str) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        content = None
    files = content.get("files", {}) if isinstance(content, dict) else None
    if not isinstance(files, dict) or not all(isinstance(file, dict) for file in files.values()):
        raise UserError(f"{path}: not a readable manifest. {again}")
    return content


def _read_labels(path: Path, again: str) -> pd.DataFrame:
    try:
        labels = pd.read_csv(path, dtype={"id": str, "split": str}, keep_default_na=False)
    except ValueError as error:  # pandas' own for a table are of this kind
        raise UserError(f"{path}: not a readable table ({' '.join(str(error).split())}). {again}") from None
    for name in ("id", "split"):
        if name not in labels:
            raise UserError(f"{path}: no column '{name}'. {again}")
    for name in labels.columns.drop(["id", "split"]):
        if not pd.api.types.is_integer_dtype(labels[name]):
            raise UserError(f"{path}: '{name}' has values that are no whole numbers. {again}")
    return labels
