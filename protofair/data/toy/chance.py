"""Where every random number of the toy data comes from, and how labels get their correlation."""

import numpy as np


def stream(seed: int, dataset: str, kind: str, index: int) -> np.random.Generator:
    """The random numbers of one thing (a person, a picture), independent of all others and of the order of drawing."""
    return np.random.default_rng([seed, index, *f"{dataset}/{kind}".encode()])


def coin(rng: np.random.Generator, *correlations: tuple[bool, float]) -> bool:
    """A balanced coin that has a given correlation (phi coefficient) with each of some independent balanced coins."""
    return bool(rng.random() < 0.5 + sum(phi * (0.5 if heads else -0.5) for heads, phi in correlations))


def strength(rng: np.random.Generator, present: bool, *, clarity: float) -> float:
    """How strongly a trait shows, in [0, 1]: two overlapping bells, `clarity` standard deviations either side of 1/2.

    Who sees the trait perfectly, and nothing else, is right in Phi(clarity) of the balanced cases.
    """
    return float(np.clip(0.5 + 0.25 * ((clarity if present else -clarity) + rng.standard_normal()), 0, 1))
