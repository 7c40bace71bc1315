from dataclasses import replace

import numpy as np
import pytest

from protofair.data.toy.canvas import Pose
from protofair.data.toy.faces import draw_face
from protofair.data.toy.features import Face

POSE = Pose(x=80, y=80, unit=60)
PLAIN = Face(
    traits=frozenset({"No_Beard"}),
    age=25,
    skin=(220, 180, 150),
    hair=(90, 60, 40),
    masculine=0.0,
    nose=0.2,
    bags=0.0,
    appeal=1.0,
)


def drawn(face: Face) -> np.ndarray:
    return draw_face(face, np.random.default_rng(5), width=160, height=160, pose=POSE).astype(int)


def changed(face: Face) -> np.ndarray:
    """Where the picture of a face differs visibly from the plain one's, bool [160, 160]."""
    return np.abs(drawn(face) - drawn(PLAIN)).max(axis=2) > 24


@pytest.mark.parametrize(
    "trait",
    [
        "Arched_Eyebrows", "Bangs", "Big_Lips", "Blurry", "Bushy_Eyebrows", "Chubby", "Double_Chin",
        "Eyeglasses", "Goatee", "Heavy_Makeup", "Mouth_Slightly_Open", "Mustache", "Narrow_Eyes", "Receding_Hairline",
        "Rosy_Cheeks", "Sideburns", "Smiling", "Wavy_Hair", "Wearing_Earrings", "Wearing_Hat", "Wearing_Lipstick",
        "Wearing_Necklace",
    ],
)  # fmt: skip
def test_a_trait_can_be_seen(trait: str) -> None:
    beard = trait in ("Goatee", "Mustache", "Sideburns")
    traits = frozenset({trait}) if beard else PLAIN.traits | {trait}
    assert changed(replace(PLAIN, traits=traits)).sum() > 25


@pytest.mark.parametrize(
    ("change", "top", "bottom"),
    [({"nose": 1.0}, 60, 120), ({"bags": 1.0}, 60, 105), ({"age": 80.0}, 20, 130), ({"masculine": 1.0}, 0, 160)],
)
def test_a_target_changes_its_own_part_of_the_face(change: dict, top: int, bottom: int) -> None:
    rows = np.flatnonzero(changed(replace(PLAIN, **change)).any(axis=1))
    assert top <= rows.min()
    assert rows.max() < bottom


@pytest.mark.parametrize("trait", ["nose", "bags"])
def test_a_stronger_trait_is_a_larger_one(trait: str) -> None:
    areas = [changed(replace(PLAIN, **{trait: strength})).sum() for strength in (0.4, 0.7, 1.0)]
    assert areas[0] < areas[1] < areas[2]


def test_pose_light_and_background_differ_from_picture_to_picture() -> None:
    first, second = (
        draw_face(PLAIN, np.random.default_rng(seed), width=160, height=160, pose=POSE).astype(int) for seed in (0, 1)
    )
    assert np.abs(first - second).mean() > 10
