"""Pseudo-counterfactual pairs as a fair run finds them: test images of one cluster and different sensitive groups."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from protofair.core.errors import UserError
from protofair.core.packed import Packed
from protofair.core.strict import parse
from protofair.method.prototypes import assign
from protofair.plan.plan import Plan
from protofair.probe.features import choose_device, encode
from protofair.report.files import UNREADABLE, why
from protofair.train.augment import normalise, unit_range
from protofair.train.config import Fair, Warmup
from protofair.train.networks import Networks, read_kept

SAMPLE = 512  # test images among which pairs are sought
CLUSTERS, PAIRS = 4, 3  # shown


@dataclass(frozen=True)
class FoundPairs:
    """Pairs of images, with what is known of them."""

    run: str
    target: str
    sensitive: str
    images: NDArray[np.uint8]  # [n, 2, H, W, C]
    # A line a pair: cluster, similarity, and of each image, in the columns first_ and second_, id, target, sensitive.
    facts: pd.DataFrame


def find_pairs(plan: Plan, root: Path, *, show_images: bool) -> tuple[FoundPairs | None, list[str]]:
    """Pairs of the first ProtoFair run of the plan that is trained, and what is wrong with its files.

    Only drawings are looked at unless `show_images` allows photographs too.
    """
    for key, entry in plan.fair.items():
        data = plan.acquire[plan.prepare[entry["data"]]["acquire"]]
        drawn = data.get("source") == "toy"
        fair = parse(Fair, entry, where=f"fair.{key}")
        path = Path("results", plan.suite, "fair", key, "checkpoints", f"epoch-{fair.from_epoch + fair.epochs:03d}.pt")
        if fair.weight > 0 and (drawn or show_images) and (root / path).is_file():
            again = f"Run it again: dvc repro fair@{key}"
            try:
                return _find(plan, root, key, fair, path, remedy=again), []
            except UserError as error:
                return None, [str(error)]
            except (*UNREADABLE, RuntimeError) as error:  # torch has the latter for weights that do not fit
                return None, [f"{path}: finds no pairs ({why(error)}). {again}"]
    return None, []


def _find(plan: Plan, root: Path, key: str, fair: Fair, path: Path, *, remedy: str) -> FoundPairs | None:
    content, config = read_kept(root / path, remedy=remedy)
    warmup = parse(Warmup, config["warmup"], where=f"{path}: config.warmup")
    packed = Packed.open(root / "data" / "packed" / warmup.data)
    rows = packed.rows("test")
    if len(rows) > SAMPLE:
        rows = np.sort(np.random.default_rng(0).choice(rows, size=SAMPLE, replace=False))
    target, sensitive = _target(plan, key, fair.sensitive), packed.values(fair.sensitive, rows)

    networks = Networks(warmup)
    networks.load_parts(content)
    networks.eval().to(choose_device())
    features = F.normalize(encode(networks.encoder, packed.images, rows), dim=1)
    clusters = assign(_clustered(networks, packed, rows, fair), content["fair"]["prototypes"])
    found = closest_pairs(features.cpu(), clusters=clusters, sensitive=torch.from_numpy(sensitive))
    if not found:
        return None
    facts = [
        {"cluster": cluster, "similarity": round(similarity, 4)}
        | _facts("first", packed, rows[one], target, fair.sensitive)
        | _facts("second", packed, rows[other], target, fair.sensitive)
        for cluster, one, other, similarity in found
    ]
    images = np.stack([packed.images[rows[[one, other]]] for _, one, other, _ in found])
    return FoundPairs(key, target, fair.sensitive, images, pd.DataFrame(facts))


def closest_pairs(
    features: Tensor, *, clusters: Tensor, sensitive: Tensor, most_clusters: int = CLUSTERS, most_pairs: int = PAIRS
) -> list[tuple[int, int, int, float]]:
    """(cluster, i, j, cosine) of the most alike pairs across groups in the largest clusters that have any.

    features [n, d] of unit length, clusters and sensitive int64 [n]. No image is in two pairs; i has the lower group.
    """
    found: list[tuple[int, int, int, float]] = []
    sizes = torch.bincount(clusters)
    for cluster in sizes.argsort(descending=True, stable=True).tolist():
        members = torch.nonzero(clusters == cluster)[:, 0]
        across = sensitive[members][:, None] < sensitive[members][None, :]
        alike = torch.where(across, features[members] @ features[members].T, -torch.inf)
        for _ in range(most_pairs):
            if not bool(alike.isfinite().any()):
                break
            one, other = divmod(int(alike.argmax()), len(members))
            found.append((cluster, int(members[one]), int(members[other]), float(alike[one, other])))
            alike[[one, other], :] = -torch.inf
            alike[:, [one, other]] = -torch.inf
        if len({cluster for cluster, *_ in found}) == most_clusters:
            break
    return found


def _clustered(networks: Networks, packed: Packed, rows: NDArray[np.int64], fair: Fair) -> Tensor:
    """The features [n, .] the run clusters, of unit length."""
    device = next(networks.parameters()).device
    named = [networks.warmup.objective.attribute(role) for role in ("target", "sensitive")]
    features = []
    for part in np.array_split(rows, -(-len(rows) // 256)):
        images = torch.from_numpy(packed.images[part]).to(device)
        labels = {name: torch.from_numpy(packed.values(name, part)).to(device) for name in named if name}
        features.append(networks.clustered_images(normalise(unit_range(images)), labels, fair.cluster_space))
    return F.normalize(torch.cat(features).float().cpu(), dim=1)


def _target(plan: Plan, key: str, sensitive: str) -> str:
    """The target that the run is probed for; the sensitive attribute itself if it is not probed."""
    tasks = [task for probe in plan.probe.values() if probe["checkpoint"]["key"] == key for task in probe["tasks"]]
    return next((str(task["target"]) for task in tasks if task["sensitive"] == sensitive), sensitive)


def _facts(which: str, packed: Packed, row: int, target: str, sensitive: str) -> dict[str, Any]:
    line = packed.labels.iloc[int(row)]
    return {
        f"{which}_{role}": line[name] for role, name in (("id", "id"), ("target", target), ("sensitive", sensitive))
    }
