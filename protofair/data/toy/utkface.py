"""Drawn faces as UTKFace publishes its own: UTKFace.tar.gz of 200x200 pictures whose names are their labels.

Gender and White / non-White are balanced coins, so that an alpha split finds enough of all four cells. As in the real
archive, some names are odd and some files are byte-identical, a part of these under different labels.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import numpy as np
import simplejpeg

from protofair.data.toy.archive import write_tar_gz
from protofair.data.toy.canvas import Pose
from protofair.data.toy.chance import coin, stream
from protofair.data.toy.faces import draw_face
from protofair.data.toy.persons import CLARITY, person

SIZE = 200
POSE = Pose(x=100, y=106, unit=84)
RACES = ("White", "Black", "Asian", "Indian", "Others")
SKIN = ((0.0, 0.25), (0.75, 1.0), (0.15, 0.4), (0.45, 0.75), (0.3, 0.55))  # the range of each race's complexions
GENDER_CLARITY = 1.25  # gender is the target here, so it must not be plain
DAY = "20170116"
COPY_EVERY = 100  # one file in so many is a copy of the one before it
CONFLICT_EVERY = 3  # one copy in so many has the other gender in its name


@dataclass(frozen=True)
class Labels:
    age: int
    gender: int  # 1 female
    race: int  # place in RACES


def write(folder: Path, *, images: int, correlation: float, seed: int) -> None:
    """Write the official archive with `images` files."""
    who = [labels(_original(index), correlation=correlation, seed=seed) for index in range(images)]
    jpegs = (simplejpeg.encode_jpeg(picture(one, _original(index), seed=seed), 92) for index, one in enumerate(who))
    members = zip((f"UTKFace/{name(one, index)}" for index, one in enumerate(who)), jpegs, strict=True)
    write_tar_gz(folder / "UTKFace.tar.gz", chain([("UTKFace/", b"")], members))


def examples(count: int, *, correlation: float, seed: int) -> Iterator[tuple[np.ndarray, list[str]]]:
    """The first pictures, and what their labels say in words."""
    for index in range(count):
        who = labels(index, correlation=correlation, seed=seed)
        yield picture(who, index, seed=seed), [f"{('man', 'woman')[who.gender]}, {who.age}", RACES[who.race]]


def labels(index: int, *, correlation: float, seed: int) -> Labels:
    rng = stream(seed, "utkface", "labels", index)
    white = coin(rng)
    gender = int(coin(rng, (white, -correlation)))  # a positive correlation: more White men
    race = 0 if white else int(rng.choice([1, 2, 3, 4], p=[0.33, 0.25, 0.3, 0.12]))
    return Labels(age=int(rng.integers(10, 90)), gender=gender, race=race)


def name(who: Labels, index: int) -> str:
    """The name of a file; the first hundred have each oddity of the real archive."""
    if index != _original(index) and index // COPY_EVERY % CONFLICT_EVERY == 0:
        who = replace(who, gender=1 - who.gender)
    label, stamp = f"{who.age}_{who.gender}_{who.race}", f"{DAY}{index:09d}"
    match index:
        case 10:
            label = f"{who.age}_{who.gender}"  # no race
        case 20:
            stamp = f"{stamp} "
        case 30:
            return f"{label}_{stamp}jpg.chip.jpg"  # a dot is missing
        case 40:
            stamp = stamp[:-1]
        case 50:
            stamp = f"{stamp}8"
    return f"{label}_{stamp}.jpg.chip.jpg"


def picture(who: Labels, index: int, *, seed: int) -> np.ndarray:
    """uint8 [200, 200, 3]"""
    rng = stream(seed, "utkface", "picture", index)
    targets = {"Attractive": coin(rng), "Big_Nose": coin(rng), "Bags_Under_Eyes": coin(rng, (who.age > 50, 0.5))}
    skin = rng.uniform(*SKIN[who.race])
    clarity = {**CLARITY, "Male": GENDER_CLARITY}
    face = person(rng, male=who.gender == 0, age=who.age, skin=skin, targets=targets, clarity=clarity).face
    return draw_face(face, rng, width=SIZE, height=SIZE, pose=POSE)


def _original(index: int) -> int:
    """The file whose picture this one shows."""
    return index - 1 if index % COPY_EVERY == COPY_EVERY - 1 else index
