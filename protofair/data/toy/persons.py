"""Who a face belongs to: CelebA's forty attributes, drawn so that they fit each other and the picture."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from protofair.data.toy.canvas import Colour, mix, shade
from protofair.data.toy.chance import strength
from protofair.data.toy.features import Face

OLD = 42.0  # years; `Young` is below
# How well the eye can tell; 1 is right in 84 of 100 cases.
CLARITY = {"Male": 2.5, "Attractive": 1.0, "Big_Nose": 1.0, "Bags_Under_Eyes": 1.0}

# How often a trait is there.
BOTH = {
    "Big_Lips": 0.2, "Blurry": 0.05, "Eyeglasses": 0.08, "High_Cheekbones": 0.4, "Mouth_Slightly_Open": 0.45,
    "Narrow_Eyes": 0.12, "Oval_Face": 0.3, "Pointy_Nose": 0.25, "Smiling": 0.45, "Wearing_Hat": 0.04,
}  # fmt: skip
MEN = {"Bushy_Eyebrows": 0.3, "Wearing_Necktie": 0.2}
WOMEN = {
    "Arched_Eyebrows": 0.4, "Heavy_Makeup": 0.55, "Rosy_Cheeks": 0.12, "Wearing_Earrings": 0.3,
    "Wearing_Lipstick": 0.8, "Wearing_Necklace": 0.2,
}  # fmt: skip
BEARDS = {
    ("No_Beard",): 0.3,
    ("No_Beard", "5_o_Clock_Shadow"): 0.3,
    ("Goatee",): 0.1,
    ("Mustache",): 0.1,
    ("Goatee", "Mustache"): 0.1,
    ("Sideburns",): 0.1,
}
HAIR: dict[str, Colour] = {
    "Black_Hair": (34, 28, 26),
    "Brown_Hair": (96, 62, 38),
    "Blond_Hair": (214, 180, 108),
    "Gray_Hair": (168, 166, 164),
}
LIGHT_SKIN, DARK_SKIN = (240, 204, 178), (112, 74, 52)


@dataclass(frozen=True)
class Person:
    """A face with the official names of what it shows."""

    face: Face
    attributes: frozenset[str]


def person(
    rng: np.random.Generator,
    *,
    male: bool,
    age: float,
    skin: float,
    targets: Mapping[str, bool],
    clarity: Mapping[str, float] = CLARITY,
) -> Person:
    """Somebody of this sex, age and complexion (0 light to 1 dark) with the given values of the paper's targets."""
    present = {"Male": male, **targets}
    shows = {name: strength(rng, present[name], clarity=clarity[name]) for name in CLARITY}
    old = age >= OLD
    hair = _hair_colour(rng, old=old, skin=skin)
    traits = {name for name, there in present.items() if there} | _some(rng, BOTH)
    traits |= _of_sex(rng, male=male, plain=abs(shows["Male"] - 0.5) < 0.2)
    traits |= _of_age(rng, male=male, old=old)
    traits.add("Wavy_Hair" if rng.random() < 0.5 else "Straight_Hair")
    if skin < 0.12:
        traits.add("Pale_Skin")
    if "Bald" not in traits:
        traits.add(hair)
    face = Face(
        traits=frozenset(traits),
        age=age,
        skin=shade(mix(LIGHT_SKIN, DARK_SKIN, skin), rng.uniform(0.94, 1.06)),
        hair=shade(HAIR[hair], rng.uniform(0.75, 1.2)),
        masculine=shows["Male"],
        nose=shows["Big_Nose"],
        bags=shows["Bags_Under_Eyes"],
        appeal=shows["Attractive"],
    )
    return Person(face, face.traits)


def _some(rng: np.random.Generator, rates: Mapping[str, float]) -> set[str]:
    return {name for name, rate in rates.items() if rng.random() < rate}


def _of_sex(rng: np.random.Generator, *, male: bool, plain: bool) -> set[str]:
    """What only men or only women have here; who looks neither like the one nor the other has none of it."""
    if plain:
        return {"No_Beard"}
    if not male:
        return {"No_Beard"} | _some(rng, WOMEN)
    kinds = list(BEARDS)
    return {*kinds[rng.choice(len(kinds), p=list(BEARDS.values()))]} | _some(rng, MEN)


def _of_age(rng: np.random.Generator, *, male: bool, old: bool) -> set[str]:
    traits = set() if old else {"Young"}
    if rng.random() < (0.3 if old else 0.06):
        traits |= {"Chubby", "Double_Chin"} if rng.random() < 0.5 else {"Chubby"}
    if male and rng.random() < (0.35 if old else 0.05):
        traits.add("Bald" if rng.random() < 0.4 else "Receding_Hairline")
    elif rng.random() < (0.08 if male else 0.3):
        traits.add("Bangs")
    return traits


def _hair_colour(rng: np.random.Generator, *, old: bool, skin: float) -> str:
    if old and rng.random() < 0.85:
        return "Gray_Hair"
    chances = np.array([0.25 + skin, 0.6 - 0.5 * skin, 0.35 * (1 - skin)])
    return ("Black_Hair", "Brown_Hair", "Blond_Hair")[rng.choice(3, p=chances / chances.sum())]
