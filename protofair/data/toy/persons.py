"""Who a face belongs to: CelebA's forty attributes, drawn so that they fit each other and the picture."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from protofair.data.toy.canvas import Colour, mix, shade
from protofair.data.toy.chance import strength
from protofair.data.toy.faces import Face

OLD = 42.0  # years; `Young` is below

# How often a trait is there: in men, in women.
RATES = {
    "Arched_Eyebrows": (0.05, 0.4),
    "Big_Lips": (0.15, 0.3),
    "Blurry": (0.05, 0.05),
    "Bushy_Eyebrows": (0.3, 0.05),
    "Eyeglasses": (0.12, 0.06),
    "Heavy_Makeup": (0.0, 0.55),
    "High_Cheekbones": (0.3, 0.5),
    "Mouth_Slightly_Open": (0.4, 0.5),
    "Narrow_Eyes": (0.12, 0.12),
    "Oval_Face": (0.2, 0.35),
    "Pointy_Nose": (0.2, 0.3),
    "Rosy_Cheeks": (0.0, 0.12),
    "Smiling": (0.4, 0.5),
    "Wearing_Earrings": (0.02, 0.3),
    "Wearing_Hat": (0.06, 0.03),
    "Wearing_Lipstick": (0.0, 0.8),
    "Wearing_Necklace": (0.02, 0.2),
    "Wearing_Necktie": (0.2, 0.0),
}
HAIR: dict[str, Colour] = {
    "Black_Hair": (34, 28, 26),
    "Brown_Hair": (96, 62, 38),
    "Blond_Hair": (214, 180, 108),
    "Gray_Hair": (168, 166, 164),
}
SKIN: tuple[Colour, Colour] = (240, 204, 178), (112, 74, 52)
CLARITY = {"Attractive": 1.0, "Big_Nose": 1.0, "Bags_Under_Eyes": 1.0}


@dataclass(frozen=True)
class Person:
    """A face with the official names of what it shows."""

    face: Face
    attributes: frozenset[str]


def person(rng: np.random.Generator, *, male: bool, age: float, skin: float, targets: Mapping[str, bool]) -> Person:
    """Somebody of this sex, age and complexion (0 light to 1 dark) with the given values of the paper's targets."""
    traits = {name for name, (man, woman) in RATES.items() if rng.random() < (man if male else woman)}
    traits |= {name for name, present in targets.items() if present}
    old = age >= OLD
    if male:
        traits |= {"Male"} | _beard(rng)
    else:
        traits.add("No_Beard")
    if not old:
        traits.add("Young")
    if rng.random() < (0.3 if old else 0.06):
        traits.add("Chubby")
        if rng.random() < 0.5:
            traits.add("Double_Chin")
    if male and rng.random() < (0.35 if old else 0.05):
        traits.add("Bald" if rng.random() < 0.4 else "Receding_Hairline")
    elif rng.random() < (0.08 if male else 0.3):
        traits.add("Bangs")
    if skin < 0.12:
        traits.add("Pale_Skin")
    traits.add("Straight_Hair" if rng.random() < 0.5 else "Wavy_Hair")
    hair = _hair_colour(rng, old=old, skin=skin)
    if "Bald" not in traits:
        traits.add(hair)
    shows = {name: strength(rng, name in traits, clarity=clarity) for name, clarity in CLARITY.items()}
    face = Face(
        traits=frozenset(traits),
        age=age,
        skin=shade(mix(*SKIN, skin), rng.uniform(0.94, 1.06)),
        hair=shade(HAIR[hair], rng.uniform(0.75, 1.2)),
        nose=shows["Big_Nose"],
        bags=shows["Bags_Under_Eyes"],
        appeal=shows["Attractive"],
    )
    return Person(face, frozenset(traits))


def _beard(rng: np.random.Generator) -> set[str]:
    kinds = (
        {"No_Beard"},
        {"No_Beard", "5_o_Clock_Shadow"},
        {"Goatee"},
        {"Mustache"},
        {"Goatee", "Mustache"},
        {"Sideburns"},
    )
    return kinds[rng.choice(len(kinds), p=(0.3, 0.3, 0.1, 0.1, 0.1, 0.1))]


def _hair_colour(rng: np.random.Generator, *, old: bool, skin: float) -> str:
    if old and rng.random() < 0.85:
        return "Gray_Hair"
    light = 1 - skin
    chances = np.array([0.25 + skin, 0.5 * light + 0.1, 0.35 * light])
    return ("Black_Hair", "Brown_Hair", "Blond_Hair")[rng.choice(3, p=chances / chances.sum())]
