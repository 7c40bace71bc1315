"""Seconds for every metric of a task with its bootstrap intervals, from predictions that are there.

python -m bench.bootstrap
"""

import time

import numpy as np
import torch

from bench.table import Row, at_most, show
from protofair.probe.evaluate import Answers, evaluate
from protofair.probe.mixing import Mixing

ROWS, RESAMPLES, TARGET, REPEATS = 20_000, 1_000, 2.0, 3


def main() -> list[Row]:
    random = np.random.default_rng(0)
    target, sensitive = _answers(random, positives=0.2), _answers(random, positives=0.4)
    nearest = torch.from_numpy(random.integers(ROWS, size=(ROWS, 20)))
    mixing = Mixing(nearest, sensitive=sensitive.label)
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        evaluate(target, sensitive, mixing=mixing, resamples=RESAMPLES, seed=0, name="bench")
        times.append(time.perf_counter() - start)
    return [at_most(f"bootstrap: {RESAMPLES:,} resamples of {ROWS:,} predictions", min(times), TARGET, " s")]


def _answers(random: np.random.Generator, *, positives: float) -> Answers:
    label = (random.random(ROWS) < positives).astype(np.int64)
    return Answers(class_values=(0, 1), label=label, score=(label + random.normal(size=ROWS) - 0.5)[:, None])


if __name__ == "__main__":
    print(show(main()))
