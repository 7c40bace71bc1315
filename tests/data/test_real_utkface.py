"""The whole of the real UTKFace through names, duplicates and splits."""

import hashlib
import io
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from protofair.data import raw
from protofair.data.near_duplicates import difference_hash, near_pairs
from protofair.data.split import build_split
from protofair.data.split.source import Source, read_source
from protofair.data.utkface import label_table

TRAIN = {2: (4382, 2191), 3: (4383, 1461), 4: (4380, 1095)}


@pytest.fixture(scope="module")
def entries(utkface_tar: Path) -> list[raw.TarEntry]:
    return list(raw.images_in_tar(utkface_tar))


@pytest.fixture(scope="module")
def source(utkface_tar: Path) -> Source:
    return read_source(utkface_tar, decisive=("gender", "white"))


def test_every_name_is_read_but_the_three_without_race(entries: list[raw.TarEntry]) -> None:
    table, rejected = label_table(entry.name for entry in entries)
    more = len(entries) - 23_707  # copies of the set have 23,708 files or, without one Black man, 23,707
    assert more in (0, 1)
    assert rejected == {
        "39_1_20170116174525125.jpg.chip.jpg": "no race field",
        "61_1_20170109142408075.jpg.chip.jpg": "no race field",
        "61_1_20170109150557335.jpg.chip.jpg": "no race field",
    }
    assert dict(table["race"].value_counts()) == {0: 10_078, 1: 4_525 + more, 2: 3_434, 3: 3_975, 4: 1_692}
    assert dict(table["gender"].value_counts()) == {0: 12_390 + more, 1: 11_314}


def test_byte_identical_files_are_found(source: Source, entries: list[raw.TarEntry]) -> None:
    groups = source.duplicates
    assert len(groups) == 375
    assert sum(len(group.names) for group in groups) == 765
    assert sum(bool(group.disagree) for group in groups) == 259
    assert sum(group.kept is None for group in groups) == 92
    assert len(source.table) == len(entries) - 3 - (765 - 375) - 92


@pytest.mark.parametrize("alpha", [2, 3, 4])
def test_the_splits_have_the_exact_ratio_and_no_bytes_in_two(
    source: Source, entries: list[raw.TarEntry], alpha: int
) -> None:
    split = build_split(source.table, alpha=alpha)
    frequent, rare = TRAIN[alpha]
    assert frequent == alpha * rare
    cells = split.cells.set_index(["target", "sensitive"])
    assert dict(cells["train"]) == {(0, 1): frequent, (1, 1): rare, (0, 0): rare, (1, 0): frequent}
    assert set(cells["val"]) == set(cells["test"]) == {500}

    part_of = dict(zip(source.table["id"], split.assigned, strict=True))
    digests = [hashlib.sha256(entry.read()).hexdigest() for entry in entries if part_of.get(entry.name)]
    assert len(digests) == len(set(digests)) == 2 * (frequent + rare) + 4_000


def test_equal_sizes(source: Source) -> None:
    sizes = Counter(
        (build_split(source.table, alpha=alpha, sizes="equal").assigned == "train").sum() for alpha in TRAIN
    )
    assert sizes == {10_920: 3}


def test_near_duplicates_are_found(source: Source, entries: list[raw.TarEntry]) -> None:
    """Compared with pairs found by correlating every image with every other: 626 above 0.98, all but a few are near."""
    entry_of = {entry.name: entry for entry in entries}
    images = np.stack([_small(entry_of[name].read()) for name in source.table["id"]])
    pairs = near_pairs(difference_hash(images))
    assert 550 < len(pairs) < 750
    first, second = (images[pairs[side]].reshape(len(pairs), -1).astype(np.float64) for side in ("first", "second"))
    first, second = first - first.mean(axis=1, keepdims=True), second - second.mean(axis=1, keepdims=True)
    correlation = (first * second).sum(axis=1) / np.linalg.norm(first, axis=1) / np.linalg.norm(second, axis=1)
    assert (correlation > 0.9).mean() > 0.95


def _small(content: bytes) -> np.ndarray:
    """A quick grey decoding at a quarter of the size, uint8 [50, 50, 1]."""
    image = Image.open(io.BytesIO(content))
    image.draft("L", (50, 50))
    return np.asarray(image.convert("L"))[..., None]
