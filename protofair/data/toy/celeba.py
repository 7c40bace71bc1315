"""Drawn faces as CelebA publishes its own: img_align_celeba.zip and three text files.

The paper's targets (Attractive, Big_Nose, Bags_Under_Eyes) and sensitive attributes (Male, Young) are balanced coins,
and each target is correlated with both: noses are big and eyes have bags mostly in men and in the old, the attractive
are mostly women and young. That is the direction of the real data; the counts are even, so that small test sets fill
every cell.
"""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import numpy as np
import simplejpeg

from protofair.core.atomic import write_text
from protofair.data.attributes import CELEBA
from protofair.data.toy.archive import write_zip
from protofair.data.toy.canvas import Pose
from protofair.data.toy.chance import coin, stream
from protofair.data.toy.faces import draw_face
from protofair.data.toy.persons import Person, person

SIZE = 178, 218
POSE = Pose(x=89, y=114, unit=82)
DIRECTION = {"Attractive": (-1, 1), "Big_Nose": (1, -1), "Bags_Under_Eyes": (1, -1)}  # with Male, with Young
ENDS = 40, 50  # per cent: training, validation, the rest is test; the real 80 and 90 would leave a small test set
PER_IDENTITY = 2  # pictures of one person, who is in one split only


def write(folder: Path, *, images: int, correlation: float, seed: int) -> None:
    """Write the four official files of `images` pictures."""
    people = [sitter(index, correlation=correlation, seed=seed) for index in range(images)]
    names = [f"{index + 1:06d}.jpg" for index in range(images)]
    jpegs = (simplejpeg.encode_jpeg(picture(who, index, seed=seed), 92) for index, who in enumerate(people))
    members = zip((f"img_align_celeba/{name}" for name in names), jpegs, strict=True)
    write_zip(folder / "img_align_celeba.zip", chain([("img_align_celeba/", b"")], members))
    rows = [" ".join(f"{1 if attribute in who.attributes else -1:2d}" for attribute in CELEBA) for who in people]
    table = (f"{name} {row}" for name, row in zip(names, rows, strict=True))
    write_text(folder / "list_attr_celeba.txt", "\n".join([str(images), " ".join(CELEBA) + " ", *table, ""]))
    parts = zip(names, partition(images), strict=True)
    write_text(folder / "list_eval_partition.txt", "".join(f"{name} {part}\r\n" for name, part in parts))
    identities = (f"{name} {index // PER_IDENTITY + 1}\n" for index, name in enumerate(names))
    write_text(folder / "identity_CelebA.txt", "".join(identities))


def examples(count: int, *, correlation: float, seed: int) -> Iterator[tuple[np.ndarray, list[str]]]:
    """The first pictures, and what their labels say in words."""
    for index in range(count):
        who = sitter(index, correlation=correlation, seed=seed)
        sex, age = "man" if "Male" in who.attributes else "woman", "young" if "Young" in who.attributes else "old"
        targets = [name.replace("_", " ").lower() for name in DIRECTION if name in who.attributes]
        yield picture(who, index, seed=seed), [f"{age} {sex}", *targets]


def sitter(index: int, *, correlation: float, seed: int) -> Person:
    """Who is in a picture: sex and complexion belong to the identity, everything else to the picture."""
    identity = stream(seed, "celeba", "identity", index // PER_IDENTITY)
    rng = stream(seed, "celeba", "labels", index)
    male, young = coin(identity), coin(rng)
    targets = {name: coin(rng, (male, m * correlation), (young, y * correlation)) for name, (m, y) in DIRECTION.items()}
    age = rng.uniform(18, 36) if young else rng.uniform(48, 80)
    return person(rng, male=male, age=age, skin=identity.random(), targets=targets)


def picture(who: Person, index: int, *, seed: int) -> np.ndarray:
    """uint8 [218, 178, 3]"""
    width, height = SIZE
    return draw_face(who.face, stream(seed, "celeba", "picture", index), width=width, height=height, pose=POSE)


def partition(images: int) -> list[int]:
    """0 train, 1 validation, 2 test, in this order as in the real list; an identity is never divided."""
    ends = [images * end // 100 // PER_IDENTITY * PER_IDENTITY for end in ENDS]
    parts: list[int] = np.searchsorted(ends, np.arange(images), side="right").tolist()
    return parts
