"""A picture one draws on in its own coordinates: smooth outlines, ellipses and strokes, moved and turned by a pose."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

Colour = tuple[int, ...]  # RGB, or one grey value
Point = tuple[float, float]

_SHIFT = 4  # OpenCV takes fixed-point coordinates: sixteenths of a pixel
_CIRCLE = np.stack([f(np.linspace(0, 2 * np.pi, 20, endpoint=False)) for f in (np.cos, np.sin)], axis=1)


@dataclass(frozen=True)
class Pose:
    """Where the origin lies (pixels), how long a unit is (pixels), and how far the picture is turned (radians)."""

    x: float
    y: float
    unit: float
    roll: float = 0.0

    @property
    def matrix(self) -> np.ndarray:
        """[2, 2], to be multiplied from the right."""
        cos, sin = np.cos(self.roll), np.sin(self.roll)
        return self.unit * np.array([[cos, sin], [-sin, cos]])


class Canvas:
    """Draws into `image`, uint8 [H, W] or [H, W, 3]; x to the right, y down, in units of the pose."""

    def __init__(self, image: np.ndarray, pose: Pose) -> None:
        self.image = image
        self._matrix = pose.matrix * 2**_SHIFT
        self._origin = np.array([pose.x, pose.y]) * 2**_SHIFT
        self._unit = pose.unit

    def ellipse(self, centre: Point, radii: Point, colour: Colour) -> None:
        self._fill(_CIRCLE * radii + centre, colour)

    def ring(self, centre: Point, radii: Point, colour: Colour, *, width: float) -> None:
        self._line(_CIRCLE * radii + centre, colour, width, closed=True)

    def outline(self, points: Sequence[Point], colour: Colour) -> None:
        """Fill the smooth closed curve through some points."""
        self._fill(_smooth(len(points), closed=True) @ np.asarray(points), colour)

    def polygon(self, points: Sequence[Point], colour: Colour) -> None:
        self._fill(np.asarray(points, dtype=float), colour)

    def stroke(self, points: Sequence[Point], colour: Colour, *, width: float) -> None:
        """The smooth open curve through some points; `width` in units."""
        self._line(_smooth(len(points), closed=False) @ np.asarray(points), colour, width, closed=False)

    def _fill(self, points: np.ndarray, colour: Colour) -> None:
        cv2.fillPoly(self.image, [self._pixels(points)], colour, cv2.LINE_AA, _SHIFT)

    def _line(self, points: np.ndarray, colour: Colour, width: float, *, closed: bool) -> None:
        thickness = max(1, round(width * self._unit))
        cv2.polylines(self.image, [self._pixels(points)], closed, colour, thickness, cv2.LINE_AA, _SHIFT)

    def _pixels(self, points: np.ndarray) -> np.ndarray:
        return np.rint(points @ self._matrix + self._origin).astype(np.int32)


@lru_cache
def _smooth(n: int, *, closed: bool, steps: int = 6) -> np.ndarray:
    """The matrix [m, n] that turns n points into the Catmull-Rom curve through them."""
    segments = n if closed else n - 1
    rows = np.zeros((segments * steps + (not closed), n))
    for row, weights in enumerate(rows):
        segment, t = min(row // steps, segments - 1), row / steps - min(row // steps, segments - 1)
        blend = (-t + 2 * t**2 - t**3, 2 - 5 * t**2 + 3 * t**3, t + 4 * t**2 - 3 * t**3, -(t**2) + t**3)
        for offset, weight in zip((-1, 0, 1, 2), blend, strict=True):
            place = segment + offset
            weights[place % n if closed else min(max(place, 0), n - 1)] += weight / 2
    return rows


def mix(first: Colour, second: Colour, share: float) -> Colour:
    """The first colour with a share of the second in it."""
    return tuple(round(a + (b - a) * share) for a, b in zip(first, second, strict=True))


def shade(colour: Colour, factor: float) -> Colour:
    return tuple(min(255, round(value * factor)) for value in colour)
