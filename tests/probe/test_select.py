"""A weight is chosen on the validation images, whatever the test images say."""

import hashlib
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
    path, checkpoint = Path(f"results/demo/probe/w{weight}/metrics.json"), checkpoint_of(weight)
    path.parent.mkdir(parents=True, exist_ok=True)
    inputs = {str(checkpoint): hashlib.sha256(checkpoint.read_bytes()).hexdigest()}
    path.write_text(json.dumps({"inputs": inputs, "tasks": [task]}))


def checkpoint_of(weight):
    return Path(f"results/demo/warmup/w{weight}/checkpoints/epoch-003.pt")


@pytest.fixture
def plan(world, write_plan):
    """Three candidates, told apart by their bytes; the one of weight 1 is a real checkpoint."""
    kept = Path("results/demo/warmup/base/checkpoints/epoch-003.pt").read_bytes()
    for weight in WEIGHTS:
        path = checkpoint_of(weight)
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
    assert choice["candidates"] == [
        {"weight": weight, "probe": f"w{weight:g}", "score": score}
        for weight, score in zip(WEIGHTS, (50, 59, 50), strict=True)
    ]
    assert json.loads((FOLDER / "choice.json").read_text()) == choice
    (kept,) = (FOLDER / "checkpoints").iterdir()
    assert kept.read_bytes() == checkpoint_of(1).read_bytes()
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


def test_a_probe_of_another_checkpoint_has_no_say(plan):
    for weight in WEIGHTS:
        write(weight, linear=(70, 20))
    run_select(plan, "s")
    before = (FOLDER / "choice.json").read_bytes()
    checkpoint_of(10).write_bytes(b"trained anew")
    again = r"w10/checkpoints/epoch-003.pt as it is now\. Measure it: protofair probe w10"
    with pytest.raises(UserError, match=rf"w10/metrics\.json: not measured on .*{again}"):
        run_select(plan, "s")
    checkpoint_of(10).unlink()
    with pytest.raises(UserError, match=r"epoch-003\.pt: no such checkpoint\. Train it: protofair warmup w10"):
        run_select(plan, "s")
    assert (FOLDER / "choice.json").read_bytes() == before


@pytest.mark.parametrize("change", [{"tasks": 5}, {"inputs": []}, {"tasks": [5]}, {"val": {}}, {"val": 7}])
def test_metrics_of_another_shape_are_refused(plan, change):
    for weight in WEIGHTS:
        write(weight, linear=(70, 20))
    path = Path("results/demo/probe/w1/metrics.json")
    content = json.loads(path.read_text())
    content["tasks"][0] |= {name: value for name, value in change.items() if name == "val"}
    path.write_text(json.dumps(content | {name: value for name, value in change.items() if name != "val"}))
    with pytest.raises(UserError, match=r"w1/metrics\.json: not the metrics of a probe\. Measure it"):
        run_select(plan, "s")


def test_metrics_without_the_task_are_refused(plan):
    for weight in WEIGHTS:
        write(weight, linear=(70, 20))
    path = Path("results/demo/probe/w1/metrics.json")
    path.write_text(path.read_text().replace("Smiling", "Young"))
    with pytest.raises(UserError, match=r"w1/metrics\.json: has no task Smiling/Male"):
        run_select(plan, "s")
