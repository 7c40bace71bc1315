"""Pairs of packed images that look the same, and whether a split divides them."""

from pathlib import Path

import cv2
import numpy as np
import pandas as pd

from protofair.data.near_duplicates import difference_hash, near_pairs
from protofair.data.prepare.arrays import read_chunks

THUMBNAIL = 32  # pixels of a side: the hash needs no more, and float64 copies of larger ones take long


def find_lookalikes(images: Path, table: pd.DataFrame) -> pd.DataFrame:
    """Near-duplicates in the array [N, H, W, C] of a file, by id and split of `table` [N]: the closest first."""
    pairs = near_pairs(_hashes(images))
    found = {"distance": pairs["distance"]}
    for place in ("first", "second"):
        rows = table.iloc[pairs[place]].reset_index(drop=True)
        found |= {place: rows["id"], f"{place}_split": rows["split"]}
    return pd.DataFrame(found).sort_values(["distance", "first", "second"], ignore_index=True)


def divided(pairs: pd.DataFrame) -> pd.DataFrame:
    """The pairs whose images are in two different splits."""
    first, second = pairs["first_split"], pairs["second_split"]
    return pairs[(first != "") & (second != "") & (first != second)]


def _hashes(images: Path) -> np.ndarray:
    parts = []
    for chunk in read_chunks(images):
        small = [cv2.resize(image, (THUMBNAIL, THUMBNAIL), interpolation=cv2.INTER_AREA) for image in chunk]
        parts.append(difference_hash(np.stack(small).reshape(-1, THUMBNAIL, THUMBNAIL, chunk.shape[3])))
    return np.concatenate(parts)
