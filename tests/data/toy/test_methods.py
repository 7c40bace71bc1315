"""On the drawings CE is unfair, and the methods that are meant to be fairer are, by more than the seeds' spread.

The settings and seeds are those of `params/methods.yaml`; docs/methods.md has what came out for all of its methods, the
two without target labels, which do not manage it, included. GRL has one weight here instead of the best of three.
FD-VAE is fairer at the cost of its accuracy; that of the others stays.
"""

from collections.abc import Callable
from dataclasses import asdict
from math import hypot
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import pytest

from protofair.plan.check import read_suite
from protofair.plan.resolve import resolve

SUITE = Path(__file__).parents[3] / "params" / "methods.yaml"
FAIRER = ("GRL", "LNL", "FD-VAE", "MFD", "FSCL", "FSCL+")


@pytest.fixture(scope="module")
def measured(run_plan: Callable[..., Any]) -> dict[str, list[dict[str, Any]]]:
    """The test metrics of CE and of each method, one of each seed: of its own classifier if it has one."""
    suite = read_suite(SUITE)
    table = suite.tables["table1"]
    rows = [row for row in table.rows if row.name in ("CE", *FAIRER)]
    rows = [row.model_copy(update={"adversary": {"weight": 1}}) if row.adversary else row for row in rows]
    plan = resolve(suite.model_copy(update={"tables": {"table1": table.model_copy(update={"rows": rows})}}))
    found = run_plan(asdict(plan))
    own = {key: metrics.get("own", metrics) for key, metrics in found.items()}
    return {cell["row"]: [own[key] for key in cell["runs"].values()] for cell in plan.report["tables"]["table1"]}


def values(metrics: list[dict[str, Any]], name: str, part: str = "value") -> list[float]:
    return [metric[name][part] for metric in metrics]


@pytest.mark.slow
def test_ce_is_unfair_with_every_seed(measured: dict[str, list[dict[str, Any]]]) -> None:
    assert min(values(measured["CE"], "equalized_odds", "low")) > 5


@pytest.mark.slow
@pytest.mark.parametrize("method", FAIRER)
def test_it_lowers_equalized_odds_by_more_than_the_seeds_spread(
    measured: dict[str, list[dict[str, Any]]], method: str
) -> None:
    """The spread is the standard deviation of the difference between one run of each."""
    unfair, fair = (values(measured[name], "equalized_odds") for name in ("CE", method))
    assert mean(unfair) - mean(fair) > hypot(stdev(unfair), stdev(fair))


@pytest.mark.slow
@pytest.mark.parametrize("method", [method for method in FAIRER if method != "FD-VAE"])
def test_it_is_not_fair_by_forgetting_the_target(measured: dict[str, list[dict[str, Any]]], method: str) -> None:
    plain, fair = (mean(values(measured[name], "accuracy")) for name in ("CE", method))
    assert fair > plain - 3


@pytest.mark.slow
def test_fd_vae_is_not_fair_by_always_answering_the_same(measured: dict[str, list[dict[str, Any]]]) -> None:
    for accuracy, constant in zip(
        values(measured["FD-VAE"], "accuracy"), values(measured["FD-VAE"], "majority_rate"), strict=True
    ):
        assert accuracy > constant + 5
