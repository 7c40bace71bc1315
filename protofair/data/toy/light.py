"""What a camera adds to a drawing: a background, uneven light, and grain."""

from functools import lru_cache

import cv2
import numpy as np


def background(rng: np.random.Generator, width: int, height: int) -> np.ndarray:
    """Soft clutter around a random colour, uint8 [height, width, 3]."""
    rows, columns = rng.integers(2, 7, size=2)
    patches = rng.integers(0, 60, size=(rows, columns, 1)) + rng.integers(0, 30, size=(rows, columns, 3))
    patches += rng.integers(90, 165, size=3)
    return cv2.resize(patches.astype(np.uint8), (width, height), interpolation=cv2.INTER_LINEAR)


def expose(image: np.ndarray, rng: np.random.Generator, *, unevenness: float, grain: float) -> np.ndarray:
    """Light from a random side, a random exposure, and grain (standard deviation in grey levels, on average)."""
    height, width = image.shape[:2]
    corners = rng.uniform(1 - unevenness, 1 + unevenness, size=(2, 2)) * rng.uniform(0.85, 1.15)
    gain = cv2.resize(np.rint(corners * 128).astype(np.uint8), (width, height), interpolation=cv2.INTER_LINEAR)
    sheet, deviation = _grain()
    top, left = rng.integers(0, len(sheet) - height), rng.integers(0, len(sheet) - width)
    noise = sheet[top : top + height, left : left + width]
    if image.ndim == 3:
        gain, noise = cv2.merge([gain] * 3), cv2.merge([noise] * 3)
    amount = grain * rng.uniform(0.5, 1.5) / deviation
    return cv2.addWeighted(cv2.multiply(image, gain, scale=1 / 128), 1, noise, amount, -128 * amount)


@lru_cache
def _grain() -> tuple[np.ndarray, float]:
    """A sheet of grain every picture takes a piece of, uint8 [640, 640] around 128, and its standard deviation."""
    fine = np.random.default_rng(0).integers(0, 256, size=(3, 640, 640), dtype=np.uint16)
    sheet = ((fine.sum(axis=0) + 1) // 3).astype(np.uint8)
    return sheet, float(sheet.std())
