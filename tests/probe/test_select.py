"""A weight is chosen on the validation images, whatever the test images say."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from protofair.core.errors import UserError
from protofair.probe.checkpoint import load_encoder
from protofair.probe.command import select
from protofair.probe.config import Checkpoint
from protofair.probe.select import run_select

FOLDER = Path("results/demo/select/s")
WEIGHTS = (0.1, 1, 10)


def numbers(accuracy, odds):
    return {"balanced_accuracy": {"value": accuracy}, "equalized_odds": {"value": odds}}


def write(weight, *, linear, own=None, test=(50, 50)):
    """What the probe of a candidate says: (balanced accuracy, EO) on validation, and on test."""
    validation = numbers(*linear) | ({"own": numbers(*own)} if own else {})
    task = {"target": "Smiling", "sensitive": "Male", "val": validation, "test": numbers(*test)}
    path = Path(f"results/demo/probe/w{weight}/metrics.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"tasks": [task]}))


@pytest.fixture
def plan(world, write_plan):
    """Three candidates, told apart by their bytes; the one of weight 1 is a real checkpoint."""
    kept = Path("results/demo/warmup/base/checkpoints/epoch-003.pt").read_bytes()
    for weight in WEIGHTS:
        path = Path(f"results/demo/warmup/w{weight}/checkpoints/epoch-003.pt")
        path.parent.mkdir(parents=True)
        path.write_bytes(kept if weight == 1 else str(weight).encode())
    candidates = [
        {"weight": weight, "checkpoint": {"stage": "warmup", "key": f"w{weight}", "epoch": 3}, "probe": f"w{weight}"}
        for weight in WEIGHTS
    ]
    return write_plan(select={"s": {"target": "Smiling", "sensitive": "Male", "candidates": candidates}})


def test_the_best_on_validation_is_chosen_and_not_the_best_on_test(plan):
    write(0.1, linear=(70, 20), test=(99, 0))
    write(1, linear=(69, 10))
    write(10, linear=(55, 5), test=(99, 0))
    choice = run_select(plan, "s")
    assert choice["weight"] == 1
    assert choice["scores"] == {"0.1": 50, "1": 59, "10": 50}
    assert json.loads((FOLDER / "choice.json").read_text()) == choice
    (kept,) = (FOLDER / "checkpoints").iterdir()
    assert kept.read_bytes() == Path("results/demo/warmup/w1/checkpoints/epoch-003.pt").read_bytes()
    assert load_encoder(plan, Checkpoint(stage="select", key="s", epoch=3)).path == kept


def test_a_classifier_of_its_own_decides_where_there_is_one(plan):
    for weight, own in zip(WEIGHTS, [(60, 30), (60, 20), (60, 10)], strict=True):
        write(weight, linear=(90 - weight, 0), own=own)
    assert run_select(plan, "s")["weight"] == 10


def test_of_equals_the_smallest_is_chosen_and_what_is_undefined_never(plan):
    write(0.1, linear=(70, None))
    write(1, linear=(60, 10))
    write(10, linear=(70, 20))
    assert run_select(plan, "s")["weight"] == 1


def test_a_candidate_that_is_not_measured_is_named_with_the_command(plan):
    write(0.1, linear=(70, 20))
    with pytest.raises(UserError, match=r"w1/metrics\.json: no such file\. Measure it: protofair probe w1"):
        run_select(plan, "s")
    assert not FOLDER.exists()


def test_without_validation_images_nothing_is_chosen(plan):
    for weight in WEIGHTS:
        write(weight, linear=(70, 20))
    path = Path("results/demo/probe/w10/metrics.json")
    content = json.loads(path.read_text())
    del content["tasks"][0]["val"]
    path.write_text(json.dumps(content))
    with pytest.raises(UserError, match="no validation images"):
        run_select(plan, "s")


def test_the_command_says_what_was_chosen(plan):
    for weight, odds in zip(WEIGHTS, (30, 20, 10), strict=True):
        write(weight, linear=(70, odds))
    done = CliRunner().invoke(select, ["s", "--plan", str(plan.path)])
    assert done.output.splitlines() == ["weight 10 (0.1: 40.00, 1: 50.00, 10: 60.00)", str(FOLDER / "choice.json")]
