"""Seconds for the K-means that starts the prototypes: CelebA's 162,770 training images, 5 restarts of 25 iterations.

python -m bench.kmeans
"""

import time
from collections.abc import Callable

import torch
import torch.nn.functional as F
from sklearn.cluster import KMeans

from bench.table import Row, at_most, beside, show
from protofair.method.kmeans import spherical_kmeans

POINTS, DIM, K, CORES, TARGET = 162_770, 128, 10, 2, 2.0


def seconds(work: Callable[[], object], repeats: int) -> float:
    """The fastest of some runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> list[Row]:
    torch.set_num_threads(CORES)
    # Without any structure no restart converges early: the most work there can be.
    points = F.normalize(torch.randn(POINTS, DIM, generator=torch.Generator().manual_seed(0)), dim=1)
    ours = seconds(lambda: spherical_kmeans(points, K, generator=torch.Generator().manual_seed(0)), 3)
    theirs = seconds(lambda: KMeans(K, n_init=5, max_iter=25, tol=0, random_state=0).fit(points.numpy()), 1)
    name = f"{POINTS:,} x {DIM}, K={K}, {CORES} cores"
    return [
        at_most(f"K-means: {name}", ours, TARGET, " s"),
        beside(f"K-means: scikit-learn's, {name}", theirs, " s"),
    ]


if __name__ == "__main__":
    print(show(main()))
