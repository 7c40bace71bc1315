"""Seconds for every metric of a task with its bootstrap intervals: 20,000 predictions, 1,000 resamples.

python bench/bootstrap.py
"""

import time

import numpy as np
import torch

from protofair.probe.evaluate import Answers, evaluate
from protofair.probe.mixing import Mixing

ROWS, RESAMPLES, LIMIT = 20_000, 1_000, 2.0


def answers(random: np.random.Generator, *, positives: float) -> Answers:
    label = (random.random(ROWS) < positives).astype(np.int64)
    return Answers(values=(0, 1), label=label, score=(label + random.normal(size=ROWS) - 0.5)[:, None])


def main() -> None:
    random = np.random.default_rng(0)
    target, sensitive = answers(random, positives=0.2), answers(random, positives=0.4)
    nearest = torch.from_numpy(random.integers(ROWS, size=(ROWS, 20)))
    mixing = Mixing(nearest, sensitive=sensitive.label)
    start = time.perf_counter()
    evaluate(target, sensitive, mixing=mixing, resamples=RESAMPLES, seed=0)
    print(
        f"bootstrap  {ROWS:,} predictions, {RESAMPLES:,} resamples, every metric of a task"
        f"  {time.perf_counter() - start:5.2f} s  (limit {LIMIT:.0f} s)"
    )


if __name__ == "__main__":
    main()
