"""The perceptual hash, and the pairs it finds."""

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from protofair.data.near_duplicates import CHUNK, MAX_DISTANCE, difference_hash, near_pairs

ALL = np.uint64(2**64 - 1)


def pictures(count: int, size: int, seed: int = 0) -> np.ndarray:
    """Smooth random colour pictures, uint8 [count, size, size, 3]."""
    coarse = np.random.default_rng(seed).integers(0, 256, (count, 6, 6, 3), dtype=np.uint8)
    return np.stack([np.asarray(Image.fromarray(one).resize((size, size), Image.Resampling.BICUBIC)) for one in coarse])


def distance(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return np.bitwise_count(first ^ second).sum(axis=1)


def test_bits_by_hand() -> None:
    ramp = np.broadcast_to(np.arange(0, 72, dtype=np.uint8)[None, None, :, None], (1, 72, 72, 1))
    brighter_to_the_right = difference_hash(ramp)
    np.testing.assert_array_equal(brighter_to_the_right, [[ALL, 0]])
    np.testing.assert_array_equal(difference_hash(ramp[:, :, ::-1]), [[0, 0]])
    np.testing.assert_array_equal(difference_hash(ramp.transpose(0, 2, 1, 3)), [[0, ALL]])


def test_the_first_bit_is_the_top_left_and_each_cell_counts_as_a_whole() -> None:
    image = np.zeros((1, 8, 9, 1), dtype=np.uint8)
    image[0, 0, 1] = 200  # the second of nine cells in the first of eight rows
    across, down = difference_hash(image)[0]
    assert across == 1 << 63
    assert down == 0  # nine rows of eight cells: the bright one is only in the first row, nothing below is brighter


@pytest.mark.parametrize("size", [8, 31, 64, 200])
def test_a_flat_picture_has_no_bits_set(size: int) -> None:
    """No rounding: equal neighbours never differ, whatever the size is."""
    flat = np.full((2, size, size, 3), 137, dtype=np.uint8)
    np.testing.assert_array_equal(difference_hash(flat), np.zeros((2, 2)))


def test_grey_and_colour_pictures_of_the_same_brightness_have_one_hash() -> None:
    grey = pictures(5, 40)[..., :1]
    np.testing.assert_array_equal(difference_hash(grey), difference_hash(np.repeat(grey, 3, axis=-1)))


def test_the_same_picture_is_near_however_it_was_saved() -> None:
    images = pictures(20, 128)
    hashes = difference_hash(images)
    smaller = np.stack([np.asarray(Image.fromarray(image).resize((48, 48))) for image in images])
    assert distance(hashes, difference_hash(smaller)).max() <= MAX_DISTANCE
    assert distance(hashes, difference_hash((images * 0.9).astype(np.uint8))).max() <= MAX_DISTANCE
    saved = []
    for image in images:
        file = io.BytesIO()
        Image.fromarray(image).save(file, "JPEG", quality=40)
        saved.append(np.asarray(Image.open(file)))
    assert distance(hashes, difference_hash(np.stack(saved))).max() <= MAX_DISTANCE


def test_different_pictures_are_not_near() -> None:
    assert near_pairs(difference_hash(pictures(300, 32))).empty


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(0, 40), st.integers(0, 128))
def test_pairs_are_those_of_a_plain_loop(seed: int, count: int, max_distance: int) -> None:
    rng = np.random.default_rng(seed)
    hashes = rng.integers(0, 2**64, (count, 2), dtype=np.uint64)
    for row in range(1, count, 2):  # half of them a few bits away from another
        hashes[row] = hashes[rng.integers(row)] ^ (np.uint64(1) << rng.integers(0, 64, 2, dtype=np.uint64))
    expected = [
        (first, second, sum(int(a ^ b).bit_count() for a, b in zip(hashes[first], hashes[second], strict=True)))
        for first in range(count)
        for second in range(first + 1, count)
    ]
    pairs = near_pairs(hashes, max_distance=max_distance)
    assert [tuple(pair) for pair in pairs.to_numpy()] == [pair for pair in expected if pair[2] <= max_distance]


def test_pairs_are_found_across_chunks() -> None:
    hashes = np.random.default_rng(0).integers(0, 2**64, (3 * CHUNK, 2), dtype=np.uint64)
    hashes[CHUNK - 1] = hashes[2 * CHUNK + 5] ^ np.uint64(1)  # one bit in each word
    hashes[CHUNK] = hashes[2 * CHUNK + 5]
    pairs = near_pairs(hashes)
    assert sorted(map(tuple, pairs.to_numpy())) == [
        (CHUNK - 1, CHUNK, 2),
        (CHUNK - 1, 2 * CHUNK + 5, 2),
        (CHUNK, 2 * CHUNK + 5, 0),
    ]
