"""`protofair tsne`: a test set's features in the plane, and how far the sensitive groups mix there.

Into results/<suite>/tsne/<key>/ go
  points.csv  x, y, target, sensitive of each image drawn
  tsne.json   configuration, hashes of the inputs, counts, and the mixing score in the plane and of the features
  run.json    configuration and hashes again, versions, hardware, wall time
"""

import time
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from sklearn.manifold import TSNE
from threadpoolctl import threadpool_limits

from protofair.core.atomic import write_json, write_text
from protofair.core.entries import Plan
from protofair.core.environment import environment
from protofair.core.errors import UserError
from protofair.probe.bootstrap import estimate
from protofair.probe.config import TsneConfig
from protofair.probe.evaluate import rounded
from protofair.probe.inputs import open_inputs
from protofair.probe.mixing import Mixing, nearest_neighbours

FORMAT = 1


def run_tsne(plan: Plan, key: str) -> dict[str, Any]:
    """Draw a sample of the test set; returns the content of tsne.json, written when all is known."""
    start = time.perf_counter()
    config = plan.entry("tsne", key, TsneConfig)
    inputs = open_inputs(plan, checkpoint=config.checkpoint, data=config.data)
    rows = sample(inputs.packed.rows("test"), points=config.points, seed=config.seed)
    for name, least in (("perplexity", config.perplexity), ("neighbours", config.neighbours)):
        if least >= len(rows):
            raise UserError(
                f"{plan.path}: tsne.{key}: '{name}': {least:g} is too many for the {len(rows)} images drawn of 'test'"
                f" of {inputs.packed.path}. Lower it."
            )
    try:
        labels = {role: inputs.packed.values(getattr(config, role), rows) for role in ("target", "sensitive")}
    except UserError as error:
        raise UserError(f"{plan.where('tsne', key)}: {error}") from None

    features = inputs.features(rows)
    plane, divergence = embed(features.cpu().numpy(), perplexity=config.perplexity, seed=config.seed)
    groups = np.unique(labels["sensitive"], return_inverse=True)[1]
    nearest = {
        "plane": nearest_neighbours(torch.from_numpy(plane), neighbours=config.neighbours, metric="euclidean"),
        "features": nearest_neighbours(features, neighbours=config.neighbours, metric="cosine"),
    }
    mixing = {space: Mixing(found, sensitive=groups) for space, found in nearest.items()}
    mixed = estimate(mixing, rows=len(rows), resamples=config.bootstrap, seed=config.seed)

    record = {
        "stage": "tsne",
        "key": key,
        "suite": plan.suite,
        "config": {"tsne": config.model_dump(mode="json"), "training": inputs.trained.config},
        "inputs": inputs.hashes(),
    }
    found = {
        "format": FORMAT,
        **record,
        "count": len(rows),
        "kl_divergence": round(divergence, 6),
        "mixing": {space: rounded(values["mixing"]) for space, values in mixed.items()},
    }
    seconds = round(time.perf_counter() - start, 1)
    folder = plan.folder("tsne", key)
    points = pd.DataFrame({"x": plane[:, 0], "y": plane[:, 1], **labels})
    write_text(folder / "points.csv", points.to_csv(index=False, float_format="%.3f", lineterminator="\n"))
    write_json(folder / "run.json", {**record, **environment(inputs.device), "wall_seconds": seconds})
    write_json(folder / "tsne.json", found)
    return found


def sample(rows: NDArray[np.int64], *, points: int, seed: int) -> NDArray[np.int64]:
    """At most `points` of the rows, in their order: the same for every encoder on one test set."""
    if len(rows) <= points:
        return rows
    return np.sort(np.random.default_rng(seed).choice(rows, size=points, replace=False))


def embed(features: NDArray[np.float32], *, perplexity: float, seed: int) -> tuple[NDArray[np.float32], float]:
    """t-SNE [n, 2] of features [n, d], and the divergence it ended with."""
    tsne = TSNE(perplexity=perplexity, random_state=seed)
    # One thread: the order of its sums, and with it the picture, depends on how many there are.
    with threadpool_limits(1):
        plane: NDArray[np.float32] = tsne.fit_transform(features)
    return plane, float(tsne.kl_divergence_)
