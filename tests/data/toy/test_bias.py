"""The reason the drawings exist: on them SupCon learns to be unfair, and ProtoFair makes it fairer."""

from collections.abc import Callable
from statistics import mean
from typing import Any

import pytest

SEEDS = (0, 1, 2)
EPOCHS, FAIR_EPOCHS = 20, 3
TASK = {"target": "Big_Nose", "sensitive": "Male"}


def plan() -> dict[str, Any]:
    """Of each seed a warm-up, the same continued with ProtoFair, and its equal-training control; all three probed."""
    stages: dict[str, Any] = {
        "suite": "bias",
        "acquire": {"celeba": {"dataset": "celeba", "source": "toy", "images": 2400}},
        "prepare": {"celeba-32": {"acquire": "celeba", "dataset": "celeba", "size": 32}},
        "warmup": {},
        "fair": {},
        "probe": {},
    }
    for seed in SEEDS:
        stages["warmup"][f"supcon-{seed}"] = {
            "data": "celeba-32",
            "objective": {"name": "supcon", "target": TASK["target"]},
            "encoder": {"name": "resnet-tiny"},
            "optimiser": {"lr": 0.1, "batch_size": 64, "ramp_epochs": 1},
            "augment": {"crop_scale": [0.7, 1.0]},
            "epochs": EPOCHS,
            "seed": seed,
        }
        checkpoints = {"supcon": {"stage": "warmup", "key": f"supcon-{seed}", "epoch": EPOCHS}}
        for name, weight in (("protofair", 1.0), ("control", 0.0)):
            stages["fair"][f"{name}-{seed}"] = {
                "warmup": f"supcon-{seed}",
                "from_epoch": EPOCHS,
                "epochs": FAIR_EPOCHS,
                "sensitive": TASK["sensitive"],
                "weight": weight,
                "lr": {"mode": "constant", "value": 0.02},
                "seed": seed,
            }
            checkpoints[name] = {"stage": "fair", "key": f"{name}-{seed}", "epoch": EPOCHS + FAIR_EPOCHS}
        for name, checkpoint in checkpoints.items():
            entry = {"checkpoint": checkpoint, "data": "celeba-32", "tasks": [TASK], "seed": seed}
            stages["probe"][f"{name}-{seed}"] = entry
    return stages


@pytest.fixture(scope="module")
def measured(run_plan: Callable[..., Any]) -> dict[str, list[dict[str, Any]]]:
    """The test metrics of SupCon, ProtoFair and control, one of each seed."""
    found = run_plan(plan())
    return {name: [found[f"{name}-{seed}"] for seed in SEEDS] for name in ("supcon", "protofair", "control")}


def values(metrics: list[dict[str, Any]], name: str, part: str = "value") -> list[float]:
    return [metric[name][part] for metric in metrics]


@pytest.mark.slow
def test_supcon_learns_the_target_but_not_perfectly(measured: dict[str, list[dict[str, Any]]]) -> None:
    assert 75 < min(values(measured["supcon"], "accuracy")) <= max(values(measured["supcon"], "accuracy")) < 95


@pytest.mark.slow
def test_supcon_is_unfair_with_every_seed(measured: dict[str, list[dict[str, Any]]]) -> None:
    assert min(values(measured["supcon"], "equalized_odds", "low")) > 5


@pytest.mark.slow
@pytest.mark.parametrize("rival", ["supcon", "control"])
def test_protofair_lowers_equalized_odds(measured: dict[str, list[dict[str, Any]]], rival: str) -> None:
    fair, unfair = (mean(values(measured[name], "equalized_odds")) for name in ("protofair", rival))
    assert fair < unfair


@pytest.mark.slow
def test_protofair_keeps_the_accuracy(measured: dict[str, list[dict[str, Any]]]) -> None:
    fair, plain = (mean(values(measured[name], "accuracy")) for name in ("protofair", "supcon"))
    assert fair > plain - 3
