"""Pairs are of one cluster and two groups, the most alike; and photographs are looked at only on request."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
import torch.nn.functional as F

from protofair.core.strict import parse
from protofair.plan.plan import Plan
from protofair.report.pairs import closest_pairs, find_pairs
from protofair.train.config import Warmup
from protofair.train.networks import CLUSTER_DIM, Networks

PROTOTYPES = 3


def test_closest_pairs_by_hand() -> None:
    """On a circle: cluster 1 is the larger one; within it 10° and 12° are closest, then 0° and 40°."""
    angles = torch.tensor([0.0, 10.0, 12.0, 40.0, 100.0, 103.0]).deg2rad()
    features = torch.stack([angles.cos(), angles.sin()], dim=1)
    found = closest_pairs(
        features,
        clusters=torch.tensor([1, 1, 1, 1, 0, 0]),
        sensitive=torch.tensor([0, 1, 0, 1, 1, 0]),
    )
    assert [pair[:3] for pair in found] == [(1, 2, 1), (1, 0, 3), (0, 5, 4)]
    assert [pair[3] for pair in found] == pytest.approx([np.cos(np.deg2rad(angle)) for angle in (2, 40, 3)], abs=1e-5)


def test_closest_pairs_keeps_to_its_limits() -> None:
    random = torch.Generator().manual_seed(0)
    features = F.normalize(torch.randn(200, 8, generator=random), dim=1)
    clusters, sensitive = (torch.randint(high, (200,), generator=random) for high in (6, 3))
    found = closest_pairs(features, clusters=clusters, sensitive=sensitive, most_clusters=4, most_pairs=3)
    assert len(found) == 12
    assert len({cluster for cluster, *_ in found}) == 4
    assert len({image for _, *images, _ in found for image in images}) == 24
    for cluster, one, other, _ in found:
        assert clusters[one] == clusters[other] == cluster
        assert sensitive[one] < sensitive[other]


def test_clusters_of_one_group_have_no_pairs() -> None:
    features = F.normalize(torch.randn(6, 4, generator=torch.Generator().manual_seed(0)), dim=1)
    groups = torch.tensor([0, 0, 0, 1, 1, 1])
    assert closest_pairs(features, clusters=groups, sensitive=groups) == []


@pytest.fixture(params=["head", "contrastive", "encoder"])
def trained(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Plan, Path]:
    """A folder with a packed set of noise and the checkpoint of a run that learned nothing."""
    random = np.random.default_rng(0)
    packed = tmp_path / "data" / "packed" / "toy-celeba-16"
    packed.mkdir(parents=True)
    np.save(packed / "images.npy", random.integers(256, size=(60, 16, 16, 3)).astype(np.uint8))
    labels = {"id": [f"{i:06d}.jpg" for i in range(60)], "split": ["train"] * 20 + ["test"] * 40}
    labels |= {name: random.integers(2, size=60) for name in ("Big_Nose", "Male")}
    pd.DataFrame(labels).to_csv(packed / "labels.csv", index=False)
    (packed / "manifest.json").write_text("{}", encoding="utf-8")

    objective = {"name": "supcon", "target": "Big_Nose"}
    entry: dict[str, Any] = {"data": "toy-celeba-16", "objective": objective, "encoder": {"name": "resnet-tiny"}}
    fair = {"warmup": "w", "data": "toy-celeba-16", "from_epoch": 1, "epochs": 1, "sensitive": "Male", "weight": 0.3}
    warmup = parse(Warmup, entry, where="warmup")
    networks = Networks(warmup)
    dims = {"head": CLUSTER_DIM, "contrastive": networks.objective.z_dim, "encoder": networks.encoder.feature_dim}
    prototypes = torch.randn(PROTOTYPES, dims[request.param], generator=torch.Generator().manual_seed(0))
    folder = tmp_path / "results" / "demo" / "fair" / "f" / "checkpoints"
    folder.mkdir(parents=True)
    content = {"format": 1, "config": json.dumps({"warmup": warmup.model_dump(mode="json")}), "epoch": 2}
    content |= {**networks.parts(), "fair": {"prototypes": F.normalize(prototypes, dim=1)}}
    torch.save(content, folder / "epoch-002.pt")

    task = {"target": "Big_Nose", "sensitive": "Male"}
    plan = Plan(
        "demo",
        acquire={"toy-celeba": {"dataset": "celeba", "source": "toy"}},
        prepare={"toy-celeba-16": {"acquire": "toy-celeba", "dataset": "celeba", "size": 16}},
        warmup={"w": entry},
        fair={
            "control": {**fair, "weight": 0.0},
            "not-trained": {**fair, "epochs": 2},
            "f": {**fair, "cluster_space": request.param},
        },
        probe={
            "p": {"checkpoint": {"stage": "fair", "key": "f", "epoch": 2}, "data": "toy-celeba-16", "tasks": [task]}
        },
    )
    return plan, tmp_path


def test_finds_pairs_of_a_trained_run(trained: tuple[Plan, Path]) -> None:
    plan, root = trained
    found, problems = find_pairs(plan, root, show_images=False)
    assert problems == []
    assert found is not None
    assert (found.run, found.target, found.sensitive) == ("f", "Big_Nose", "Male")
    facts = found.facts
    assert found.images.shape == (len(facts), 2, 16, 16, 3)
    assert (facts["first_sensitive"] == 0).all()
    assert (facts["second_sensitive"] == 1).all()
    packed = pd.read_csv(root / "data" / "packed" / "toy-celeba-16" / "labels.csv", dtype={"id": str})
    images = np.load(root / "data" / "packed" / "toy-celeba-16" / "images.npy")
    for number, name in enumerate(facts["second_id"]):
        row = packed.index[packed["id"] == name][0]
        assert packed.loc[row, "split"] == "test"
        assert (found.images[number, 1] == images[row]).all()
        assert facts["second_target"][number] == packed.loc[row, "Big_Nose"]


def test_photographs_only_on_request(trained: tuple[Plan, Path]) -> None:
    plan, root = trained
    plan.acquire["toy-celeba"]["source"] = "official"
    assert find_pairs(plan, root, show_images=False) == (None, [])
    assert find_pairs(plan, root, show_images=True)[0] is not None


@pytest.mark.parametrize("trained", ["head"], indirect=True)
@pytest.mark.parametrize("harm", ["checkpoint", "prototypes", "labels"])
def test_damaged_file_is_a_problem(trained: tuple[Plan, Path], harm: str) -> None:
    plan, root = trained
    path = {
        "checkpoint": root / "results" / "demo" / "fair" / "f" / "checkpoints" / "epoch-002.pt",
        "prototypes": root / "results" / "demo" / "fair" / "f" / "checkpoints" / "epoch-002.pt",
        "labels": root / "data" / "packed" / "toy-celeba-16" / "labels.csv",
    }[harm]
    if harm == "checkpoint":
        path.write_bytes(path.read_bytes()[:1000])
    elif harm == "prototypes":
        torch.save(torch.load(path, weights_only=True) | {"fair": {"prototypes": torch.zeros(3, 5)}}, path)
    else:
        path.unlink()
    found, problems = find_pairs(plan, root, show_images=False)
    assert found is None
    assert len(problems) == 1
    assert path.name in problems[0]


def test_suite_without_checkpoints_has_no_pairs(demo_plan: Plan, demo_root: Path) -> None:
    assert find_pairs(demo_plan, demo_root, show_images=True) == (None, [])
