"""What lies inside a face: skin, beard, eyes, nose and mouth. Each trait is a shape; how strongly it shows is a number.

Everything here moves sideways with the turn of the head.
"""

from dataclasses import dataclass

import numpy as np

from protofair.data.toy.canvas import Canvas, Colour, Point, mix, shade

DARK = (38, 28, 26)
WHITE = (242, 240, 236)


@dataclass(frozen=True)
class Face:
    """Somebody's looks. `traits` has CelebA's names of what is there; the last four numbers are strengths, 0 to 1."""

    traits: frozenset[str]
    age: float  # years
    skin: Colour
    hair: Colour
    masculine: float  # long hair and a narrow jaw to short hair and a wide one
    nose: float  # small to big
    bags: float  # under the eyes
    appeal: float  # drawn as cartoons do: big eyes, an even face, clear skin

    def has(self, trait: str) -> bool:
        return trait in self.traits


def draw_features(canvas: Canvas, face: Face, rng: np.random.Generator) -> None:
    turn = rng.uniform(-0.12, 0.12)
    eyes, mouth = (1 - face.appeal) * rng.uniform(-0.14, 0.14, size=2)  # how uneven they are
    _skin(canvas, face, turn, rng.uniform(-0.6, 0.6, size=(9, 2)))
    _beard(canvas, face, turn)
    for side in (-1, 1):
        _eye(canvas, face, turn + side * 0.33, -0.16 + side * eyes / 2, side)
    _mouth(canvas, face, turn, tilt=mouth)
    _nose(canvas, face, turn)
    if face.has("Eyeglasses"):
        for side in (-1, 1):
            canvas.ring((turn + side * 0.33, -0.14), (0.25, 0.22), DARK, width=0.045)
        canvas.stroke([(turn - 0.09, -0.16), (turn + 0.09, -0.16)], DARK, width=0.045)


def mirrored(points: list[Point], middle: float = 0.0) -> list[Point]:
    """A closed outline from its right half, given from top to bottom, around a vertical line."""
    return [(middle + x, y) for x, y in points] + [(middle - x, y) for x, y in reversed(points) if x > 0]


def _skin(canvas: Canvas, face: Face, turn: float, spots: np.ndarray) -> None:
    """Lines of age, cheeks, blemishes."""
    old = float(np.clip((face.age - 35) / 35, 0, 1))
    if old > 0.1:
        line = shade(face.skin, 1 - 0.42 * old)
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
    for x, y in spots[: round(len(spots) * (1 - face.appeal))]:
        canvas.ellipse((turn + x, y + 0.1), (0.035, 0.035), mix(face.skin, (150, 60, 50), 0.55))


def _beard(canvas: Canvas, face: Face, turn: float) -> None:
    hair = shade(face.hair, 0.9)
    if face.has("5_o_Clock_Shadow"):
        shadow: list[Point] = [(0, 0.38), (0.4, 0.4), (0.64, 0.25), (0.56, 0.7), (0.27, 0.96), (0, 0.99)]
        canvas.outline(mirrored(shadow), mix(face.skin, hair, 0.35))
    if face.has("Goatee"):
        canvas.outline(mirrored([(0, 0.62), (0.2, 0.62), (0.18, 0.98), (0, 1.04)], turn), hair)
    if face.has("Mustache"):
        canvas.outline(mirrored([(0, 0.36), (0.2, 0.4), (0.3, 0.5), (0, 0.47)], turn), hair)
    if face.has("Sideburns"):
        for side in (-1, 1):
            canvas.polygon([(side * 0.76, -0.4), (side * 0.63, -0.4), (side * 0.66, 0.4), (side * 0.74, 0.4)], hair)


def _eye(canvas: Canvas, face: Face, x: float, y: float, side: int) -> None:
    """One eye with its brow and what lies under it."""
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
    canvas.stroke([(x - wide, y), (x, y - high * 1.25), (x + wide, y)], DARK, width=0.06 - 0.025 * face.masculine)
    thick = 0.1 if face.has("Bushy_Eyebrows") else 0.045 + 0.03 * face.masculine
    top, arch = y - 0.27 + 0.05 * face.masculine, 0.08 if face.has("Arched_Eyebrows") else 0.03
    brow = [(x - side * 0.17, top + 0.02), (x + side * 0.05, top - arch), (x + side * 0.2, top + 0.03)]
    canvas.stroke(brow, shade(face.hair, 0.7), width=thick)


def _nose(canvas: Canvas, face: Face, turn: float) -> None:
    """A ball with nostrils on a shaded bridge: a small button, or wide, low and red."""
    wide, tall, low = 0.07 + 0.36 * face.nose, 0.05 + 0.2 * face.nose, 0.2 + 0.06 * face.nose
    tip = turn * 1.4
    bridge: list[Point] = [(turn - 0.05, -0.14), (turn + 0.05, -0.14), (tip + 0.6 * wide, low), (tip - 0.6 * wide, low)]
    canvas.polygon(bridge, shade(face.skin, 0.9))
    ball = mix(face.skin, (200, 62, 54), 0.05 + 0.75 * face.nose)
    canvas.ellipse((tip, low), (wide, tall), shade(ball, 0.72))
    canvas.ellipse((tip, low - 0.15 * tall), (wide * 0.88, tall * 0.82), ball)
    for side in (-1, 1):
        nostril = tip + side * wide * 0.5, low + 0.6 * tall
        canvas.ellipse(nostril, (0.3 * wide, 0.25 * tall), shade(face.skin, 0.4))


def _mouth(canvas: Canvas, face: Face, turn: float, *, tilt: float) -> None:
    wide, curve = (0.3, 0.12) if face.has("Smiling") else (0.23, 0.0)
    thick = 0.1 if face.has("Big_Lips") else 0.06
    lips = (190, 40, 60) if face.has("Wearing_Lipstick") else mix(face.skin, (170, 70, 70), 0.5)
    y = 0.6
    left, right = (turn - wide, y - curve - tilt / 2), (turn + wide, y - curve + tilt / 2)
    canvas.outline([left, (turn, y + curve * 0.3 - thick), right, (turn, y + curve + thick)], lips)
    if face.has("Mouth_Slightly_Open"):
        corners = [(turn + side * wide * 0.8, y - curve * 0.7) for side in (-1, 1)]
        upper, lower = (turn, y + curve * 0.4 - thick * 0.3), (turn, y + curve + thick * 0.5)
        canvas.outline([corners[0], upper, corners[1], lower], WHITE if face.has("Smiling") else (80, 30, 34))
    else:
        canvas.stroke([left, (turn, y + curve * 0.7), right], shade(lips, 0.55), width=0.03)
