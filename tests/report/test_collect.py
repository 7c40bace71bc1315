"""Metrics and predictions in whatever state a crash, a full disk or another configuration may leave them."""

import json
import shutil

import numpy as np
import pytest

from protofair.report.collect import Collected

TASK = ("gender", "white")


@pytest.fixture(scope="module")
def suite(plan_of, fabricate, tmp_path_factory):
    plan, root = plan_of("mini"), tmp_path_factory.mktemp("mini")
    fabricate(plan, root, rows=200)
    return plan, root


@pytest.fixture
def probe(suite, tmp_path):
    """(plan, root, key, folder) of one probe in a copy that may be damaged."""
    plan, root = suite
    key = next(iter(plan.probe))
    shutil.copytree(root / "results" / "mini" / "probe", tmp_path / "results" / "mini" / "probe")
    return plan, tmp_path, key, tmp_path / "results" / "mini" / "probe" / key


def edit(path, change):
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def test_a_run_has_its_metrics_by_dotted_name(probe):
    plan, root, key, folder = probe
    run = Collected(plan, root).run(key, *TASK)
    content = json.loads((folder / "metrics.json").read_text())["tasks"][0]["test"]
    assert run.state == "done"
    assert run.metric("equalized_odds").low == content["equalized_odds"]["low"]
    assert run.metric("sensitive.accuracy").value == content["sensitive"]["accuracy"]["value"]
    assert run.metric("mistake") is None
    assert {"accuracy", "auroc_gap", "mixing", "sensitive.auroc"} <= set(run.metrics())
    assert "predicts_one_class" not in run.metrics()


def test_no_file_is_pending_and_no_problem(probe):
    plan, root, key, folder = probe
    (folder / "metrics.json").unlink()
    collected = Collected(plan, root)
    run = collected.run(key, *TASK)
    assert (run.state, run.command) == ("pending", f"dvc repro probe@{key}")
    assert not collected.problems


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "null",
        "[]",
        "7",
        '{"tasks": []}',
        '{"config": 3}',
        "\x00\x00",
        '{"config": {"probe": [], "training": {}}}',
    ],
)
def test_a_broken_file_is_named(probe, text):
    plan, root, key, folder = probe
    (folder / "metrics.json").write_text(text)
    collected = Collected(plan, root)
    run = collected.run(key, *TASK)
    assert run.state == "broken"
    assert f"results/mini/probe/{key}/metrics.json" in run.problem
    assert f"dvc repro probe@{key}" in run.problem
    assert list(collected.problems) == [run.problem]
    assert str(root) not in run.problem


def test_bytes_that_are_no_text_and_a_folder_are_broken_too(probe):
    plan, root, key, folder = probe
    path = folder / "metrics.json"
    path.write_bytes(b"\xff\xfe\x00")
    assert Collected(plan, root).run(key, *TASK).state == "broken"
    path.unlink()
    path.mkdir()
    assert Collected(plan, root).run(key, *TASK).state == "broken"


@pytest.mark.parametrize(
    "name", ["accuracy", "equalized_odds", "balanced_accuracy", "counts", "groups", "at_majority_rate"]
)
def test_a_metric_that_is_not_there_is_broken(probe, name):
    plan, root, key, folder = probe
    edit(folder / "metrics.json", lambda content: content["tasks"][0]["test"].pop(name))
    run = Collected(plan, root).run(key, *TASK)
    assert run.state == "broken"
    assert name in run.problem


def test_an_undefined_metric_is_none_but_not_broken(probe):
    plan, root, key, folder = probe
    nothing = {"value": None, "low": None, "high": None}
    edit(folder / "metrics.json", lambda content: content["tasks"][0]["test"].update(equalized_odds=nothing))
    run = Collected(plan, root).run(key, *TASK)
    assert run.state == "done"
    assert run.metric("equalized_odds") is None


def test_a_task_that_was_not_measured_is_named(probe):
    plan, root, key, _ = probe
    run = Collected(plan, root).run(key, "gender", "age_35")
    assert run.state == "broken"
    assert "no task gender/age_35" in run.problem


@pytest.mark.parametrize(
    ("stage", "name", "value"),
    [("probe", "epochs", 99), ("warmup", "seed", 5), ("warmup", "optimiser", {"lr": 9.0}), ("fair", "weight", 0.9)],
)
def test_results_of_other_settings_are_not_shown_as_these(suite, tmp_path, stage, name, value):
    plan, root = suite
    key = next(key for key, entry in plan.probe.items() if entry["checkpoint"]["stage"] == "fair")
    shutil.copytree(root / "results", tmp_path / "results")
    part = ("config", "probe") if stage == "probe" else ("config", "training", stage)

    def change(content):
        for step in part:
            content = content[step]
        content[name] = value

    edit(tmp_path / "results" / "mini" / "probe" / key / "metrics.json", change)
    run = Collected(plan, tmp_path).run(key, *TASK)
    assert run.state == "broken"
    assert f"other settings than the plan's ({stage}.{name}" in run.problem


def test_tasks_and_kept_epochs_make_no_difference(probe):
    plan, root, key, folder = probe

    def change(content):
        content["config"]["probe"]["tasks"].append({"target": "age_35", "sensitive": "white"})
        content["config"]["training"]["warmup"]["keep"] = [1, 2, 3]

    edit(folder / "metrics.json", change)
    assert Collected(plan, root).run(key, *TASK).state == "done"


def test_predictions_are_those_of_the_file(probe):
    plan, root, key, folder = probe
    answers = Collected(plan, root).answers(key, *TASK)
    with np.load(folder / "predictions.npz") as arrays:
        np.testing.assert_array_equal(answers.label, arrays["gender/test/label"])
        np.testing.assert_array_equal(answers.sensitive_prediction, arrays["white/test/prediction"])


@pytest.mark.parametrize("damage", ["missing", "cut", "text", "no array", "lengths"])
def test_broken_predictions_are_a_problem(probe, damage):
    plan, root, key, folder = probe
    path = folder / "predictions.npz"
    with np.load(path) as arrays:
        content = dict(arrays)
    if damage == "missing":
        path.unlink()
    elif damage == "cut":
        path.write_bytes(path.read_bytes()[:200])
    elif damage == "text":
        path.write_text("not an archive")
    elif damage == "no array":
        del content["gender/test/prediction"]
        np.savez(path, **content)
    else:
        content["gender/test/prediction"] = content["gender/test/prediction"][:-1]
        np.savez(path, **content)
    collected = Collected(plan, root)
    assert collected.answers(key, *TASK) is None
    (problem,) = collected.problems
    assert problem.startswith(f"results/mini/probe/{key}/predictions.npz: ")


def test_runs_on_other_test_images_are_not_compared(probe):
    plan, root, key, folder = probe
    other = next(name for name, entry in plan.probe.items() if name != key and entry["data"] == plan.probe[key]["data"])
    with np.load(folder / "predictions.npz") as arrays:
        content = {name: array[::-1] for name, array in arrays.items()}
    np.savez(folder / "predictions.npz", **content)
    collected = Collected(plan, root)
    assert collected.answers(other, *TASK) is not None
    assert collected.answers(key, *TASK) is None
    assert "not about the test images" in next(iter(collected.problems))
