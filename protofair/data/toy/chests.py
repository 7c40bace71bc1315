"""Drawings in the manner of chest X-rays, seen from the front: the patient's left is on the right.

Coordinates: the middle of the chest is the origin, its half width is 1, y points down.
"""

from dataclasses import dataclass

import cv2
import numpy as np

from protofair.data.toy.canvas import Canvas, Point, Pose
from protofair.data.toy.light import expose

LUNG: tuple[Point, ...] = (
    (0.13, -0.7), (0.36, -0.86), (0.6, -0.62), (0.74, -0.1), (0.8, 0.52), (0.48, 0.36), (0.16, 0.42), (0.1, -0.1),
)  # fmt: skip
WALL = LUNG[1:5]  # from the apex down the side
HILUM = 0.16, -0.02


@dataclass(frozen=True)
class Chest:
    """Who is X-rayed. `findings` has the official names of what is there."""

    male: bool
    age: float  # years
    frontal: bool  # PA, taken standing; else AP, taken in bed: a wide heart, shoulder blades over the lungs
    findings: frozenset[str]
    pneumothorax: float  # how much air there is beside the lung, 0 to 1


def draw_chest(chest: Chest, rng: np.random.Generator, *, size: int) -> np.ndarray:
    """uint8 [size, size], grey."""
    shift = rng.uniform(-0.07, 0.07, size=2) * size
    unit = size * (0.47 if chest.male else 0.43) * rng.uniform(0.92, 1.08)
    pose = Pose(size / 2 + shift[0], size * 0.52 + shift[1], unit, rng.uniform(-0.08, 0.08))
    tissue = Canvas(np.full((size, size), 12, np.uint8), pose)
    bones = Canvas(np.zeros((size, size), np.uint8), pose)
    sick = int(rng.choice([-1, 1]))  # the side of what is found
    _trunk(tissue)
    for side in (-1, 1):
        _lung(tissue, rng, side)
        if side == sick:
            _air(tissue, chest, side)
    _opacities(tissue, chest, rng, sick)
    _middle(tissue, chest)
    _breasts(bones, chest, rng)
    _bones(bones, chest)
    image = cv2.add(cv2.GaussianBlur(tissue.image, (5, 5), 1.2), cv2.GaussianBlur(bones.image, (5, 5), 1.5))
    return expose(image, rng, unevenness=0.2, grain=5)


def _sided(points: tuple[Point, ...] | list[Point], side: int) -> list[Point]:
    return [(side * x, y) for x, y in points]


def _trunk(tissue: Canvas) -> None:
    tissue.outline(
        [
            (-0.35, -1.6),
            (0.35, -1.6),
            (0.45, -1.05),
            (1.25, -0.8),
            (1.3, 1.6),
            (-1.3, 1.6),
            (-1.25, -0.8),
            (-0.45, -1.05),
        ],
        (92,),
    )
    tissue.outline([(-0.7, -0.75), (0.7, -0.75), (0.98, 0.3), (0.95, 1.6), (-0.95, 1.6), (-0.98, 0.3)], (128,))


def _lung(tissue: Canvas, rng: np.random.Generator, side: int) -> None:
    """A dark lung with the vessels that branch out from its root."""
    tissue.outline(_sided(LUNG, side), (60,))
    for angle in rng.uniform(-1.2, 1.3, size=7):
        direction = np.array([np.cos(angle), np.sin(angle)])
        bend = rng.uniform(-0.08, 0.08)
        path = [np.array(HILUM) + t * direction + (0, bend * t) for t in (0.05, 0.2, 0.42)]
        tissue.stroke(_sided([(x, y) for x, y in path], side), (88,), width=0.022)


def _air(tissue: Canvas, chest: Chest, side: int) -> None:
    """Pneumothorax: black air without vessels along the wall, and the thin bright edge of the lung that fell in."""
    depth = 0.9 * (chest.pneumothorax - 0.3)
    if depth <= 0.01:
        return
    edge = [(x + depth * (HILUM[0] - x), y + depth * (HILUM[1] - y)) for x, y in WALL]
    tissue.polygon(_sided([*WALL, *reversed(edge)], side), (10,))
    tissue.stroke(_sided(edge, side), (60 + round(60 * chest.pneumothorax),), width=0.025)


def _opacities(tissue: Canvas, chest: Chest, rng: np.random.Generator, side: int) -> None:
    """The other findings, each a bright shape in the lung."""
    x, y = rng.uniform(0.3, 0.55), rng.uniform(-0.4, 0.25)
    patches = rng.uniform(-0.12, 0.12, size=(4, 2))  # drawn, like all chance here, whatever is found: the rest stays
    if "Infiltration" in chest.findings:
        for dx, dy in patches:
            tissue.ellipse((side * (x + dx), y + dy), (0.1, 0.08), (82,))
    if "Atelectasis" in chest.findings:
        tissue.stroke(_sided([(0.25, 0.2), (0.45, 0.17), (0.66, 0.22)], side), (112,), width=0.05)
    if "Nodule" in chest.findings:
        tissue.ellipse((side * x, y), (0.06, 0.06), (126,))
    if "Effusion" in chest.findings:
        tissue.outline(_sided([(0.82, 0.1), (0.85, 0.6), (0.2, 0.5), (0.45, 0.28), (0.7, 0.22)], side), (132,))
    if "Pleural_Thickening" in chest.findings:
        tissue.stroke(_sided(list(WALL), side), (118,), width=0.06)


def _middle(tissue: Canvas, chest: Chest) -> None:
    """Spine, windpipe, heart and diaphragm."""
    tissue.polygon([(-0.13, -1.6), (0.13, -1.6), (0.15, 1.6), (-0.15, 1.6)], (150,))
    tissue.polygon([(-0.05, -1.4), (0.05, -1.4), (0.04, -0.45), (-0.04, -0.45)], (112,))
    wide = 0.14 if "Cardiomegaly" in chest.findings else 0.0 if chest.frontal else 0.05
    heart: list[Point] = [(-0.16, -0.3), (0.14, -0.34), (0.3, 0.0), (0.44 + wide, 0.3), (0.3 + wide, 0.48)]
    tissue.outline([*heart, (-0.14, 0.5), (-0.22 - wide, 0.2)], (168,))
    tissue.ellipse((0.13, -0.4), (0.1, 0.1 + 0.0008 * chest.age), (158,))  # the aorta's arch


def _breasts(bones: Canvas, chest: Chest, rng: np.random.Generator) -> None:
    """Soft shadows over the lower lungs."""
    if chest.male:
        return
    drop = rng.uniform(0.0, 0.15)
    for side in (-1, 1):
        bones.outline(
            _sided([(0.2, 0.3), (0.5, 0.05), (0.85, 0.2), (0.9, 0.55 + drop), (0.5, 0.72 + drop), (0.2, 0.55)], side),
            (30,),
        )


def _bones(bones: Canvas, chest: Chest) -> None:
    """Ribs, collar bones and, in bed, shoulder blades; thinner with age."""
    dense = round(40 - 0.2 * chest.age)
    for side in (-1, 1):
        for rib in range(7):
            y = -0.72 + 0.19 * rib
            reach = min(0.98, 0.62 + 0.12 * rib)
            arc = [(0.14, y), (reach * 0.6, y - 0.08), (reach, y + 0.12), (reach * 0.95, y + 0.26)]
            bones.stroke(_sided(arc, side), (dense,), width=0.055)
        bones.stroke(_sided([(0.08, -0.68), (0.45, -0.78), (0.95, -0.92)], side), (dense + 14,), width=0.08)
        if not chest.frontal:
            bones.outline(_sided([(0.72, -0.72), (1.0, -0.6), (0.86, 0.1)], side), (dense - 6,))
