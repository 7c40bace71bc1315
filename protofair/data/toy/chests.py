"""Drawings in the manner of chest X-rays."""

from dataclasses import dataclass

import cv2
import numpy as np

from protofair.data.toy.canvas import Canvas, Pose
from protofair.data.toy.light import expose


@dataclass(frozen=True)
class Chest:
    """What is drawn; strengths from 0 to 1."""

    male: bool
    age: float
    pneumothorax: float


def draw_chest(chest: Chest, rng: np.random.Generator, *, size: int) -> np.ndarray:
    """uint8 [size, size]"""
    canvas = Canvas(np.full((size, size), 20, np.uint8), Pose(size / 2, size / 2, size / 2.2))
    canvas.ellipse((0, 0.3), (0.95, 1.1), (150,))
    for side in (-1, 1):
        canvas.ellipse((side * 0.42, 0.1), (0.3, 0.6), (60,))
    canvas.ellipse((0.15, 0.4), (0.28, 0.3), (170,))
    if not chest.male:
        for side in (-1, 1):
            canvas.ellipse((side * 0.5, 0.6), (0.3, 0.2), (130,))
    canvas.ellipse((0.5, -0.3), (0.2 * chest.pneumothorax, 0.2), (25,))
    return expose(cv2.GaussianBlur(canvas.image, (5, 5), 0), rng, unevenness=0.2, grain=6)
