from pathlib import Path

import numpy as np
import pandas as pd

from protofair.data.prepare.lookalikes import divided, find_lookalikes


def images(seed: int, count: int, size: int) -> np.ndarray:
    """Different pictures of 8 x 8 even squares, uint8 [count, size, size, 3]."""
    squares = np.random.default_rng(seed).integers(0, 256, (count, 8, 8, 3), dtype=np.uint8)
    return squares.repeat(size // 8, axis=1).repeat(size // 8, axis=2)


def find(pictures: np.ndarray, table: pd.DataFrame, folder: Path) -> pd.DataFrame:
    np.save(folder / "images.npy", pictures)
    return find_lookalikes(folder / "images.npy", table)


def test_a_brighter_copy_is_found_with_the_splits_of_both(tmp_path: Path) -> None:
    pictures = images(0, 12, 64) // 2
    pictures[7] = pictures[2] + 20
    table = pd.DataFrame({"id": [f"{i:02d}.jpg" for i in range(12)], "split": ["train"] * 6 + ["test"] * 6})
    pairs = find(pictures, table, tmp_path)
    assert pairs[["first", "first_split", "second", "second_split"]].to_numpy().tolist() == [
        ["02.jpg", "train", "07.jpg", "test"]
    ]
    assert len(divided(pairs)) == 1


def test_only_two_different_splits_divide_a_pair() -> None:
    pairs = pd.DataFrame({"first_split": ["train", "train", "", "val"], "second_split": ["train", "", "test", "test"]})
    assert list(divided(pairs).index) == [3]


def test_images_of_one_channel(tmp_path: Path) -> None:
    pictures = images(1, 5, 32)[..., :1]
    table = pd.DataFrame({"id": list("abcde"), "split": "train"})
    assert find(pictures, table, tmp_path).empty
    pictures[4] = pictures[0]
    assert find(pictures, table, tmp_path)["distance"].tolist() == [0]
