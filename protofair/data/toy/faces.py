"""Cartoon faces: each visible trait of the paper's face data sets is a shape, and how strongly it shows is a number.

Coordinates: the face's centre is the origin, its half height is 1, y points down.
"""

from dataclasses import dataclass

import cv2
import numpy as np

from protofair.data.toy.canvas import Canvas, Colour, Point, Pose, mix, shade
from protofair.data.toy.light import background, expose

DARK = (38, 28, 26)
WHITE = (242, 240, 236)


@dataclass(frozen=True)
class Face:
    """Who is drawn. `traits` has CelebA's names of what is there; the numbers, 0 to 1, say how strongly it shows."""

    traits: frozenset[str]
    age: float  # years
    skin: Colour
    hair: Colour
    nose: float  # small to big
    bags: float  # under the eyes
    appeal: float  # drawn as cartoons do: big eyes, an even face, clear skin

    def has(self, trait: str) -> bool:
        return trait in self.traits


def draw_face(face: Face, rng: np.random.Generator, *, width: int, height: int, pose: Pose) -> np.ndarray:
    """The picture of a face, uint8 [height, width, 3]; pose, light, background and grain are random around `pose`."""
    canvas = Canvas(background(rng, width, height), _moved(pose, rng))
    turn = rng.uniform(-0.12, 0.12)  # looking left or right moves what is inside the face
    _body(canvas, face, rng)
    _head(canvas, face)
    _features(canvas, face, rng, turn)
    _hair(canvas, face, rng)
    image = canvas.image
    if face.has("Blurry"):
        image = cv2.GaussianBlur(image, (7, 7), 2.5)
    return expose(image, rng, unevenness=0.2, grain=6)


def _moved(pose: Pose, rng: np.random.Generator) -> Pose:
    shift = rng.uniform(-0.1, 0.1, size=2) * pose.unit
    return Pose(pose.x + shift[0], pose.y + shift[1], pose.unit * rng.uniform(0.9, 1.1), rng.uniform(-0.15, 0.15))


def _mirrored(points: list[Point]) -> list[Point]:
    """A closed outline from its right half, given from top to bottom."""
    return points + [(-x, y) for x, y in reversed(points) if x > 0]


def _body(canvas: Canvas, face: Face, rng: np.random.Generator) -> None:
    """Long hair behind the neck, the neck, and clothes."""
    male = face.has("Male")
    if not male and not face.has("Bald"):
        wave = 0.12 if face.has("Wavy_Hair") else 0.0
        side: list[Point] = [(0, -1.22), (0.75, -0.9), (0.98 + wave, -0.1), (0.92 - wave, 0.5), (1.0 + wave, 1.15)]
        canvas.outline(_mirrored([*side, (0.5, 1.4)]), shade(face.hair, 0.8))
    cloth: Colour = tuple(rng.integers(30, 220, size=3).tolist())
    shoulder = 1.5 if male else 1.2
    canvas.outline(_mirrored([(0, 1.25), (0.5, 1.25), (shoulder, 1.6), (shoulder + 0.2, 2.6)]), cloth)
    neck = 0.44 if male else 0.32
    canvas.polygon([(-neck, 0.6), (neck, 0.6), (neck, 1.3), (0, 1.5), (-neck, 1.3)], shade(face.skin, 0.82))
    if face.has("Wearing_Necktie"):
        canvas.polygon([(-0.12, 1.35), (0.12, 1.35), (0.2, 2.4), (-0.2, 2.4)], shade(cloth, 0.5))
    if face.has("Wearing_Necklace"):
        canvas.stroke([(-neck, 1.15), (0, 1.42), (neck, 1.15)], (230, 200, 90), width=0.06)


def _head(canvas: Canvas, face: Face) -> None:
    wide = 0.1 if face.has("Chubby") else 0.0
    jaw, chin = (0.6, 0.3) if face.has("Male") else (0.47, 0.17)
    ear = shade(face.skin, 0.9)
    for side in (-1, 1):
        canvas.ellipse((side * (0.76 + wide), 0.0), (0.12, 0.2), ear)
        if face.has("Wearing_Earrings"):
            canvas.ellipse((side * (0.8 + wide), 0.28), (0.07, 0.09), (240, 210, 110))
    right: list[Point] = [(0, -1.0), (0.5, -0.86), (0.74 + wide, -0.3), (0.73 + wide, 0.2), (jaw + wide, 0.68)]
    canvas.outline(_mirrored([*right, (chin + wide, 0.98), (0, 1.02)]), face.skin)
    if face.has("Double_Chin"):
        canvas.stroke([(-0.3, 1.0), (0, 1.12), (0.3, 1.0)], shade(face.skin, 0.7), width=0.04)


def _features(canvas: Canvas, face: Face, rng: np.random.Generator, turn: float) -> None:
    """What lies inside the face, moved sideways by the turn of the head."""
    uneven = (1 - face.appeal) * rng.uniform(-0.14, 0.14, size=2)
    _skin(canvas, face, rng, turn)
    _beard(canvas, face, turn)
    for side in (-1, 1):
        _eye(canvas, face, (turn + side * 0.33, -0.16 + side * uneven[0] / 2), side)
    _mouth(canvas, face, turn, uneven[1])
    _nose(canvas, face, turn)
    if face.has("Eyeglasses"):
        for side in (-1, 1):
            canvas.ring((turn + side * 0.33, -0.14), (0.25, 0.22), DARK, width=0.045)
        canvas.stroke([(turn - 0.09, -0.16), (turn + 0.09, -0.16)], DARK, width=0.045)


def _skin(canvas: Canvas, face: Face, rng: np.random.Generator, turn: float) -> None:
    """Lines of age, blemishes, cheeks."""
    old = float(np.clip((face.age - 35) / 35, 0, 1))
    line = shade(face.skin, 1 - 0.42 * old)
    if old > 0.1:
        for y in (-0.72, -0.6, -0.48):
            canvas.stroke([(turn - 0.36, y + 0.02), (turn, y - 0.03), (turn + 0.36, y + 0.02)], line, width=0.035)
        for side in (-1, 1):
            fold = [(0.2, 0.2), (0.33, 0.36), (0.36, 0.6)]
            canvas.stroke([(turn + side * x, y) for x, y in fold], line, width=0.05)
            for y in (-0.2, -0.08):
                canvas.stroke([(turn + side * 0.54, -0.14), (turn + side * 0.66, y)], line, width=0.03)
    if face.has("Rosy_Cheeks") or face.has("Heavy_Makeup"):
        for side in (-1, 1):
            canvas.ellipse((turn + side * 0.45, 0.25), (0.15, 0.11), mix(face.skin, (226, 90, 100), 0.4))
    spots = round(9 * (1 - face.appeal))
    for x, y in rng.uniform(-0.6, 0.6, size=(spots, 2)):
        canvas.ellipse((turn + x, y + 0.1), (0.035, 0.035), mix(face.skin, (150, 60, 50), 0.55))


def _beard(canvas: Canvas, face: Face, turn: float) -> None:
    if face.has("No_Beard") and not face.has("5_o_Clock_Shadow") and not face.has("Sideburns"):
        return
    hair = shade(face.hair, 0.9)
    if face.has("5_o_Clock_Shadow"):
        right: list[Point] = [(0, 0.38), (0.4, 0.4), (0.64, 0.25), (0.56, 0.7), (0.27, 0.96), (0, 0.99)]
        canvas.outline(_mirrored(right), mix(face.skin, hair, 0.35))
    if face.has("Goatee"):
        canvas.outline([(turn + x, y) for x, y in _mirrored([(0, 0.62), (0.2, 0.62), (0.18, 0.98), (0, 1.04)])], hair)
    if face.has("Mustache"):
        canvas.outline([(turn + x, y) for x, y in _mirrored([(0, 0.36), (0.2, 0.4), (0.3, 0.5), (0, 0.47)])], hair)
    if face.has("Sideburns"):
        for side in (-1, 1):
            canvas.polygon([(side * 0.76, -0.4), (side * 0.63, -0.4), (side * 0.66, 0.4), (side * 0.74, 0.4)], hair)


def _eye(canvas: Canvas, face: Face, centre: Point, side: int) -> None:
    """One eye with its brow and what lies under it."""
    x, y = centre
    wide, high = 0.12 + 0.13 * face.appeal, 0.05 + 0.16 * face.appeal
    if face.has("Narrow_Eyes"):
        high *= 0.6
    if face.bags > 0.1:
        drop = 0.08 + 0.26 * face.bags
        bag = mix(face.skin, (62, 34, 76), 0.1 + 0.75 * face.bags)
        canvas.ellipse((x, y + high + 0.02), (0.26, drop), bag)
        canvas.stroke([(x - 0.22, y + 0.1), (x, y + high + drop), (x + 0.22, y + 0.1)], shade(bag, 0.75), width=0.03)
    if face.has("Heavy_Makeup"):
        canvas.ellipse((x, y - 0.06), (wide + 0.04, high + 0.06), mix(face.skin, (110, 60, 150), 0.5))
    canvas.ellipse((x, y), (wide, high), WHITE)
    canvas.ellipse((x, y), (0.085, min(0.11, high)), (60, 44, 36))
    lash = 0.06 if not face.has("Male") else 0.035
    lid = [(x - wide, y), (x, y - high * 1.25), (x + wide, y)]
    canvas.stroke(lid, DARK, width=lash)
    brow = 0.1 if face.has("Bushy_Eyebrows") else 0.075 if face.has("Male") else 0.045
    arch = 0.08 if face.has("Arched_Eyebrows") else 0.03
    top = y - 0.22 if face.has("Male") else y - 0.27
    inner, outer = x - side * 0.17, x + side * 0.2
    canvas.stroke(
        [(inner, top + 0.02), (x + side * 0.05, top - arch), (outer, top + 0.03)], shade(face.hair, 0.7), width=brow
    )


def _nose(canvas: Canvas, face: Face, turn: float) -> None:
    """A ball with nostrils on a shaded bridge: a small button, or wide, low and red."""
    wide, low = 0.07 + 0.36 * face.nose, 0.2 + 0.06 * face.nose
    tall = 0.05 + 0.2 * face.nose
    tip = turn * 1.4
    skin = mix(face.skin, (200, 62, 54), 0.05 + 0.75 * face.nose)
    bridge: list[Point] = [(turn - 0.05, -0.14), (turn + 0.05, -0.14), (tip + 0.6 * wide, low), (tip - 0.6 * wide, low)]
    canvas.polygon(bridge, shade(face.skin, 0.9))
    canvas.ellipse((tip, low), (wide, tall), shade(skin, 0.72))
    canvas.ellipse((tip, low - 0.15 * tall), (wide * 0.88, tall * 0.82), skin)
    for side in (-1, 1):
        canvas.ellipse((tip + side * wide * 0.5, low + 0.6 * tall), (0.3 * wide, 0.25 * tall), shade(face.skin, 0.4))


def _mouth(canvas: Canvas, face: Face, turn: float, tilt: float) -> None:
    wide = 0.3 if face.has("Smiling") else 0.23
    curve = 0.12 if face.has("Smiling") else 0.0
    thick = 0.1 if face.has("Big_Lips") else 0.06
    lips = (190, 40, 60) if face.has("Wearing_Lipstick") else mix(face.skin, (170, 70, 70), 0.5)
    y = 0.6
    left, right = (turn - wide, y - curve - tilt / 2), (turn + wide, y - curve + tilt / 2)
    canvas.outline([left, (turn, y + curve * 0.3 - thick), right, (turn, y + curve + thick)], lips)
    if face.has("Mouth_Slightly_Open"):
        inner = [
            (turn - wide * 0.8, y - curve * 0.7),
            (turn, y + curve * 0.4 - thick * 0.3),
            (turn + wide * 0.8, y - curve * 0.7),
            (turn, y + curve + thick * 0.5),
        ]
        canvas.outline(inner, WHITE if face.has("Smiling") else (80, 30, 34))
    else:
        canvas.stroke([left, (turn, y + curve * 0.7), right], shade(lips, 0.55), width=0.03)


def _hair(canvas: Canvas, face: Face, rng: np.random.Generator) -> None:
    """Hair over the forehead, or a hat."""
    hair = face.hair
    if face.has("Wearing_Hat"):
        cloth: Colour = tuple(rng.integers(20, 200, size=3).tolist())
        canvas.outline(_mirrored([(0, -1.35), (0.6, -1.2), (0.82, -0.6), (0.4, -0.55), (0, -0.52)]), cloth)
        canvas.stroke([(-0.95, -0.55), (0, -0.62), (0.95, -0.55)], shade(cloth, 0.7), width=0.12)
        return
    if face.has("Bald"):
        for side in (-1, 1):
            canvas.outline([(side * 0.76, -0.45), (side * 0.68, -0.3), (side * 0.7, 0.05), (side * 0.84, 0.0)], hair)
        return
    line = -0.85 if face.has("Receding_Hairline") else -0.42 if face.has("Bangs") else -0.66
    top = -1.18 if face.has("Male") else -1.25
    side_end = -0.1 if face.has("Male") else 0.35
    edge: list[Point] = [(0, top), (0.55, top + 0.14), (0.86, -0.5), (0.82, side_end), (0.68, -0.3), (0.45, line)]
    canvas.outline(_mirrored([*edge, (0, line + rng.uniform(-0.1, 0.05))]), hair)
