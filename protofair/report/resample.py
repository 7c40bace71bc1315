"""Metrics of runs on the resamples of their test set, from predictions.npz.

The same resamples serve every run on a test set (they depend on the number of rows alone), and all seeds of a cell go
through them in one matrix product: of a test image only its cell (target, group) and whether it is right matter.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protofair.probe import metrics
from protofair.probe.auroc import Auroc
from protofair.probe.bootstrap import resample_weights
from protofair.report.collect import Answers
from protofair.report.difference import Sampled

Floats = NDArray[np.float64]
Weights = NDArray[np.float32]
RESAMPLES = 1000
AREA_RESAMPLES = 400  # each takes a hundred times as long
SEED = 0
BLOCK = 16  # resamples at once: they stay near the processor
COUNTED = {
    "accuracy": metrics.accuracy,
    "equalized_odds": metrics.odds_difference,
    "balanced_accuracy": metrics.balanced_accuracy,
}


@cache
def resampling_weights(rows: int) -> Weights:
    """How often each row counts, [1 + R, rows]: once in the first line, the test set itself, then the resamples."""
    blocks = resample_weights(rows, resamples=RESAMPLES, seed=SEED)
    return np.concatenate([np.ones((1, rows), dtype=np.float32), *(block.astype(np.float32) for block in blocks)])


def resampled(metric: str, runs: Sequence[Answers]) -> list[Mapping[str, Sampled]]:
    """The metric of runs on the same images, and the others of its family, which come for free."""
    return RESAMPLERS[FAMILY[metric]](runs)


def _counted(runs: Sequence[Answers]) -> list[Mapping[str, Sampled]]:
    label, sensitive = runs[0].label.astype(np.int64), runs[0].sensitive
    shape = (max(2, int(label.max()) + 1), int(sensitive.max()) + 1)
    images = (label * shape[1] + sensitive)[:, None] == np.arange(shape[0] * shape[1])
    right = [images & (run.prediction == label)[:, None] for run in runs]
    # float32 holds counts exactly up to 2^24 images.
    totals = resampling_weights(len(label)) @ np.concatenate([images, *right], axis=1).astype(np.float32)
    all_images, *each = np.split(totals.astype(np.float64), len(runs) + 1, axis=1)
    return [_metrics(all_images.reshape(-1, *shape), found.reshape(-1, *shape)) for found in each]


def _metrics(images: Floats, right: Floats) -> dict[str, Sampled]:
    """From images and right answers [1 + R, C, S]. Which wrong class was answered does not matter to these metrics."""
    classes = images.shape[1]
    counts = np.zeros((*images.shape, classes))
    for y in range(classes):
        counts[:, y, :, y] = right[:, y]
        counts[:, y, :, (y + 1) % classes] = images[:, y] - right[:, y]
    return {name: _sampled(metric(counts)) for name, metric in COUNTED.items()}


def _sensitive(runs: Sequence[Answers]) -> list[Mapping[str, Sampled]]:
    right = np.stack([run.sensitive_prediction == run.sensitive for run in runs], axis=1).astype(np.float32)
    shares = 100.0 * (resampling_weights(len(right)) @ right).astype(np.float64) / len(right)
    return [{"sensitive.accuracy": _sampled(column)} for column in shares.T]


def _areas(runs: Sequence[Answers]) -> list[Mapping[str, Sampled]]:
    return [_area(run) for run in runs]


def _area(run: Answers) -> Mapping[str, Sampled]:
    groups = [run.sensitive == group for group in np.unique(run.sensitive)]
    classes = range(1, 2) if run.score.shape[1] == 1 else range(run.score.shape[1])
    aurocs = [
        [Auroc(run.label == c, score, among=among) for c, score in zip(classes, run.score.T, strict=True)]
        for among in [np.ones(len(run.label), dtype=bool), *groups]
    ]
    weights: NDArray[Any] = resampling_weights(len(run.label))[: 1 + AREA_RESAMPLES]  # float32 is enough for counts
    blocks = [weights[start : start + BLOCK] for start in range(0, len(weights), BLOCK)]
    found = [[[auroc(block) for auroc in each] for each in aurocs] for block in blocks]
    overall, *by_group = np.concatenate([np.mean(block, axis=1) for block in found], axis=1)
    gap = np.max(by_group, axis=0) - np.min(by_group, axis=0)
    return {"auroc": _sampled(overall), "auroc_gap": _sampled(gap)}


def _sampled(values: Floats) -> Sampled:
    return Sampled(float(values[0]), values[1:])


Resampler = Callable[[Sequence[Answers]], list[Mapping[str, Sampled]]]
RESAMPLERS: dict[tuple[str, ...], Resampler] = {
    tuple(COUNTED): _counted,
    ("sensitive.accuracy",): _sensitive,
    ("auroc", "auroc_gap"): _areas,
}
# The metrics that come together with each.
FAMILY = {metric: metrics for metrics in RESAMPLERS for metric in metrics}
