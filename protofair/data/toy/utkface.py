"""Drawn faces as UTKFace publishes its own: UTKFace.tar.gz of 200x200 pictures whose names are their labels.

Gender and White / non-White are balanced coins, so that an alpha split finds enough of all four cells. As in the real
archive, some names are odd and some files are byte-identical, a part of these under different labels.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import simplejpeg

from protofair.data.toy.archive import write_tar_gz
from protofair.data.toy.canvas import Pose
from protofair.data.toy.chance import coin, stream
from protofair.data.toy.faces import draw_face
from protofair.data.toy.persons import person

SIZE = 200
POSE = Pose(x=100, y=106, unit=84)
SKIN = {0: (0.0, 0.25), 1: (0.75, 1.0), 2: (0.15, 0.4), 3: (0.45, 0.75), 4: (0.3, 0.55)}  # complexion of each race
DAY = "20170116"
COPY_EVERY = 100  # one file in so many is a byte-identical copy of the one before it


def write(folder: Path, *, images: int, correlation: float, seed: int) -> None:
    """Write the official archive with `images` files."""
    files = (
        (
            f"UTKFace/{name(index, correlation=correlation, seed=seed)}",
            simplejpeg.encode_jpeg(picture(_original(index), correlation=correlation, seed=seed), quality=92),
        )
        for index in range(images)
    )
    write_tar_gz(folder / "UTKFace.tar.gz", _with_folder(files))


def _with_folder(files: Iterator[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    yield "UTKFace/", b""
    yield from files


def labels(index: int, *, correlation: float, seed: int) -> tuple[int, int, int]:
    """Age in years, gender (1 female) and race (0 White) of a picture."""
    rng = stream(seed, "utkface", "labels", index)
    white = coin(rng)
    gender = int(coin(rng, (white, correlation)))
    race = 0 if white else int(rng.choice([1, 2, 3, 4], p=[0.33, 0.25, 0.3, 0.12]))
    return int(rng.integers(8, 90)), gender, race


def name(index: int, *, correlation: float, seed: int) -> str:
    """The file name; the first hundred files hold each oddity of the real archive."""
    age, gender, race = labels(_original(index), correlation=correlation, seed=seed)
    if index != _original(index) and index // COPY_EVERY % 3 == 0:
        gender = 1 - gender
    stamp = f"{DAY}{index:09d}"
    odd = {
        10: f"{age}_{gender}_{stamp}.jpg",  # no race
        20: f"{age}_{gender}_{race}_{stamp} .jpg",  # a space
        30: f"{age}_{gender}_{race}_{stamp}jpg",  # no dot
        40: f"{age}_{gender}_{race}_{stamp[:-1]}.jpg",  # a short stamp
        50: f"{age}_{gender}_{race}_{stamp}8.jpg",  # a long stamp
    }
    return odd.get(index, f"{age}_{gender}_{race}_{stamp}.jpg") + ".chip.jpg"


def picture(index: int, *, correlation: float, seed: int) -> np.ndarray:
    """uint8 [200, 200, 3]"""
    age, gender, race = labels(index, correlation=correlation, seed=seed)
    rng = stream(seed, "utkface", "picture", index)
    targets = {"Attractive": coin(rng), "Big_Nose": coin(rng), "Bags_Under_Eyes": coin(rng, (age > 50, 0.5))}
    who = person(rng, male=gender == 0, age=age, skin=rng.uniform(*SKIN[race]), targets=targets)
    return draw_face(who.face, rng, width=SIZE, height=SIZE, pose=POSE)


def _original(index: int) -> int:
    """The file whose picture this one shows."""
    return index - 1 if index % COPY_EVERY == COPY_EVERY - 1 else index
