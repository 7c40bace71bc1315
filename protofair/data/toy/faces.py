"""Cartoon faces, from the shoulders up.

Coordinates: the face's centre is the origin, its half height is 1, y points down.
"""

import cv2
import numpy as np

from protofair.data.toy.canvas import Canvas, Colour, Point, Pose, shade
from protofair.data.toy.features import Face, draw_features, mirrored
from protofair.data.toy.light import background, expose


def draw_face(face: Face, rng: np.random.Generator, *, width: int, height: int, pose: Pose) -> np.ndarray:
    """The picture of a face, uint8 [height, width, 3]; its pose varies around `pose`, its light and background too.

    Equal random numbers give equal pose, light and background whatever the face.
    """
    canvas = Canvas(background(rng, width, height), _moved(pose, rng))
    cloth, felt = _cloth(rng), _cloth(rng)
    _body(canvas, face, cloth)
    _head(canvas, face)
    draw_features(canvas, face, rng)
    _hair(canvas, face, felt, fringe=rng.uniform(-0.1, 0.05))
    image = cv2.GaussianBlur(canvas.image, (7, 7), 2.5) if face.has("Blurry") else canvas.image
    return expose(image, rng, unevenness=0.2, grain=6)


def _moved(pose: Pose, rng: np.random.Generator) -> Pose:
    x, y = rng.uniform(-0.1, 0.1, size=2) * pose.unit
    return Pose(pose.x + x, pose.y + y, pose.unit * rng.uniform(0.9, 1.1), rng.uniform(-0.15, 0.15))


def _cloth(rng: np.random.Generator) -> Colour:
    return tuple(rng.integers(30, 210, size=3).tolist())


def _body(canvas: Canvas, face: Face, cloth: Colour) -> None:
    """Hair that falls behind the neck, the neck, and clothes."""
    length, wave = 1 - face.masculine, 0.1 if face.has("Wavy_Hair") else 0.0
    if not face.has("Bald"):
        end = 0.1 + 1.2 * length
        side: list[Point] = [
            (0, -1.22),
            (0.75, -0.9),
            (0.8 + 0.2 * length, -0.1),
            (0.78 + 0.16 * length - wave, 0.4 * end),
        ]
        canvas.outline(mirrored([*side, (0.72 + 0.3 * length + wave, end), (0.5, end + 0.15)]), shade(face.hair, 0.8))
    shoulder = 1.2 + 0.3 * face.masculine
    canvas.outline(mirrored([(0, 1.25), (0.5, 1.25), (shoulder, 1.6), (shoulder + 0.2, 2.6)]), cloth)
    neck = 0.32 + 0.12 * face.masculine
    canvas.polygon([(-neck, 0.6), (neck, 0.6), (neck, 1.3), (0, 1.5), (-neck, 1.3)], shade(face.skin, 0.82))
    if face.has("Wearing_Necktie"):
        canvas.polygon([(-0.12, 1.35), (0.12, 1.35), (0.2, 2.4), (-0.2, 2.4)], shade(cloth, 0.5))
    if face.has("Wearing_Necklace"):
        canvas.stroke([(-neck, 1.15), (0, 1.42), (neck, 1.15)], (230, 200, 90), width=0.06)


def _head(canvas: Canvas, face: Face) -> None:
    wide = 0.1 if face.has("Chubby") else 0.0
    jaw, chin = 0.47 + 0.13 * face.masculine, 0.17 + 0.13 * face.masculine
    for side in (-1, 1):
        canvas.ellipse((side * (0.76 + wide), 0.0), (0.12, 0.2), shade(face.skin, 0.9))
        if face.has("Wearing_Earrings"):
            canvas.ellipse((side * (0.8 + wide), 0.28), (0.07, 0.09), (240, 210, 110))
    right: list[Point] = [(0, -1.0), (0.5, -0.86), (0.74 + wide, -0.3), (0.73 + wide, 0.2), (jaw + wide, 0.68)]
    canvas.outline(mirrored([*right, (chin + wide, 0.98), (0, 1.02)]), face.skin)
    if face.has("Double_Chin"):
        canvas.stroke([(-0.3, 1.0), (0, 1.12), (0.3, 1.0)], shade(face.skin, 0.7), width=0.04)


def _hair(canvas: Canvas, face: Face, felt: Colour, *, fringe: float) -> None:
    """A hat, the rest of hair that a bald head has, or hair over the forehead."""
    if face.has("Wearing_Hat"):
        canvas.outline(mirrored([(0, -1.35), (0.6, -1.2), (0.82, -0.6), (0.4, -0.55), (0, -0.52)]), felt)
        canvas.stroke([(-0.95, -0.55), (0, -0.62), (0.95, -0.55)], shade(felt, 0.7), width=0.12)
    elif face.has("Bald"):
        for side in (-1, 1):
            tuft = [(side * 0.76, -0.45), (side * 0.68, -0.3), (side * 0.7, 0.05), (side * 0.84, 0.0)]
            canvas.outline(tuft, face.hair)
    else:
        line = -0.85 if face.has("Receding_Hairline") else -0.42 if face.has("Bangs") else -0.66
        top, end = -1.25 + 0.07 * face.masculine, 0.35 - 0.45 * face.masculine
        edge: list[Point] = [(0, top), (0.55, top + 0.14), (0.86, -0.5), (0.82, end), (0.68, -0.3), (0.45, line)]
        canvas.outline(mirrored([*edge, (0, line + fringe)]), face.hair)
