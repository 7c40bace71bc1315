"""The bias of the drawings is real, and ProtoFair lowers it: the demo's Big Nose and Male, over three seeds."""

import json
import shutil
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from protofair.cli import main
from protofair.plan.resolve import resolve
from protofair.plan.suite import Suite
from protofair.strict import parse, read_yaml

ROOT = Path(__file__).parents[3]
COLUMN = "T:b, S:m"


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """Test metrics of the base objective, of ProtoFair and of its equal-training control, by seed."""
    content = read_yaml(ROOT / "params/demo.yaml")
    table = content["tables"]["table1"]
    table["columns"] = {COLUMN: table["columns"][COLUMN]}
    content |= {"seeds": [0, 1, 2], "tables": {"table1": table}, "tsne": None, "ablation": None}
    plan = resolve(parse(Suite, content, where="demo"))

    folder = tmp_path_factory.mktemp("bias")
    (folder / "params").mkdir()
    (folder / "params/plan.yaml").write_text(plan.text())
    shutil.copy(ROOT / "params/sources.yaml", folder / "params")
    with pytest.MonkeyPatch.context() as here:
        here.chdir(folder)
        for stage in ("acquire", "prepare", "warmup", "fair", "probe"):
            for key in getattr(plan, stage):
                with pytest.raises(SystemExit) as ended:
                    main([stage, key])
                assert ended.value.code == 0
    base, fair = plan.report["tables"]["table1"]
    cells = {"base": base["runs"], "fair": fair["runs"], "control": fair["controls"]}
    return {name: [_test(folder, key) for key in keys.values()] for name, keys in cells.items()}


def _test(folder: Path, key: str) -> dict[str, Any]:
    metrics = json.loads((folder / f"results/demo/probe/{key}/metrics.json").read_text())
    found: dict[str, Any] = metrics["tasks"][0]["test"]
    return found


def odds(outcomes: list[dict[str, Any]]) -> float:
    return mean(outcome["equalized_odds"]["value"] for outcome in outcomes)


@pytest.mark.slow
def test_accuracy_is_neither_chance_nor_perfect(outcomes: dict[str, list[dict[str, Any]]]):
    for outcome in outcomes["base"]:
        assert outcome["majority_rate"]["high"] < outcome["accuracy"]["value"] < 95


@pytest.mark.slow
def test_the_plain_objective_is_biased_in_every_seed(outcomes: dict[str, list[dict[str, Any]]]):
    for outcome in outcomes["base"]:
        assert outcome["equalized_odds"]["low"] > 5


@pytest.mark.slow
def test_protofair_is_fairer_than_the_plain_objective_and_than_mere_training(outcomes: dict[str, list[dict[str, Any]]]):
    fair, base, control = (odds(outcomes[name]) for name in ("fair", "base", "control"))
    assert fair < base
    assert fair < control
