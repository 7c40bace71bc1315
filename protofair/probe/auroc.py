"""Area under the ROC curve of weighted samples: exact, ties counted half, prepared once for many sets of weights."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Auroc:
    """The chance that a random positive has a higher score than a random negative.

    `positive` bool [n] and `score` [n] are fixed and sorted once; each call takes weights [b, n], how often each sample
    counts, and returns [b]. Without positives or without negatives it is NaN. Samples outside `among` bool [n] are left
    out.
    """

    def __init__(self, positive: NDArray[np.bool_], score: NDArray[np.floating], *, among: NDArray[np.bool_]) -> None:
        by_score = np.argsort(score, kind="stable")
        self.positives = by_score[(positive & among)[by_score]]
        self.negatives = by_score[(~positive & among)[by_score]]
        # How many negatives lie strictly below each positive, and how many lie below or at it.
        self.below = np.searchsorted(score[self.negatives], score[self.positives], side="left")
        self.up_to = np.searchsorted(score[self.negatives], score[self.positives], side="right")

    def __call__(self, weights: Floats) -> Floats:
        positives = weights.take(self.positives, axis=1)
        # In the type of the weights, or the sum would convert them one by one: float32 counts exactly up to 2^24.
        negatives = np.zeros((len(weights), len(self.negatives) + 1), dtype=weights.dtype)
        np.cumsum(weights.take(self.negatives, axis=1), axis=1, out=negatives[:, 1:])
        beaten = (negatives.take(self.below, axis=1) + negatives.take(self.up_to, axis=1)) / 2
        pairs = positives.sum(axis=1, dtype=np.float64) * negatives[:, -1]
        with np.errstate(invalid="ignore"):
            won: Floats = np.einsum("bi,bi->b", positives, beaten, dtype=np.float64)
            area: Floats = won / np.where(pairs > 0, pairs, np.nan)
        return area
