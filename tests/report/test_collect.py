"""Metrics and predictions in whatever state a crash, a full disk or another configuration may leave them."""

import io
import json

import numpy as np
import pytest

from protofair.report.collect import Collected

TASK = ("gender", "white")


@pytest.fixture(scope="module")
def suite(plan_of, fabricate, tmp_path_factory):
    plan, root = plan_of("mini"), tmp_path_factory.mktemp("mini")
    fabricate(plan, root, rows=200)
    return plan, root


@pytest.fixture(scope="module")
def probe(suite):
    """(plan, root, key, folder) of one probe, of an objective without a classifier of its own."""
    plan, root = suite
    key = next(key for key in plan.probe if key.startswith("supcon"))
    return plan, root, key, root / "results" / "mini" / "probe" / key


@pytest.fixture
def edit(damage):
    """edit(path, change): a JSON file with what `change` makes of its content."""

    def edited(path, change):
        content = json.loads(path.read_text())
        change(content)
        damage(path, json.dumps(content))

    return edited


def archive(arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


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


def test_no_file_is_pending_and_no_problem(probe, damage):
    plan, root, key, folder = probe
    damage(folder / "metrics.json", None)
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
def test_a_broken_file_is_named(probe, damage, text):
    plan, root, key, folder = probe
    damage(folder / "metrics.json", text)
    collected = Collected(plan, root)
    run = collected.run(key, *TASK)
    assert run.state == "broken"
    assert f"results/mini/probe/{key}/metrics.json" in run.problem
    assert f"dvc repro probe@{key}" in run.problem
    assert list(collected.problems) == [run.problem]
    assert str(root) not in run.problem


def test_bytes_that_are_no_text_and_a_folder_are_broken_too(probe, damage, tmp_path):
    plan, root, key, folder = probe
    damage(folder / "metrics.json", b"\xff\xfe\x00")
    assert Collected(plan, root).run(key, *TASK).state == "broken"
    (tmp_path / folder.relative_to(root) / "metrics.json").mkdir(parents=True)
    assert Collected(plan, tmp_path).run(key, *TASK).state == "broken"


@pytest.mark.parametrize(
    "name", ["accuracy", "equalized_odds", "balanced_accuracy", "counts", "groups", "at_majority_rate"]
)
def test_a_metric_that_is_not_there_is_broken(probe, edit, name):
    plan, root, key, folder = probe
    edit(folder / "metrics.json", lambda content: content["tasks"][0]["test"].pop(name))
    run = Collected(plan, root).run(key, *TASK)
    assert run.state == "broken"
    assert name in run.problem


def test_an_undefined_metric_is_none_but_not_broken(probe, edit):
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
def test_results_of_other_settings_are_not_shown_as_these(suite, edit, stage, name, value):
    plan, root = suite
    key = next(key for key, entry in plan.probe.items() if entry["checkpoint"]["stage"] == "fair")
    part = ("config", "probe") if stage == "probe" else ("config", "training", stage)

    def change(content):
        for step in part:
            content = content[step]
        content[name] = value

    edit(root / "results" / "mini" / "probe" / key / "metrics.json", change)
    run = Collected(plan, root).run(key, *TASK)
    assert run.state == "broken"
    assert f"other settings than the plan's ({stage}.{name}" in run.problem


def test_tasks_and_kept_epochs_make_no_difference(probe, edit):
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


@pytest.mark.parametrize("what", ["missing", "cut", "text", "no array", "lengths"])
def test_broken_predictions_are_a_problem(probe, damage, what):
    plan, root, key, folder = probe
    path = folder / "predictions.npz"
    with np.load(path) as arrays:
        content = dict(arrays)
    prediction = content.pop("gender/test/prediction")
    others = {"missing": None, "cut": path.read_bytes()[:200], "text": b"not an archive", "no array": archive(content)}
    short = archive(content | {"gender/test/prediction": prediction[:-1]})
    damage(path, {**others, "lengths": short}[what])
    collected = Collected(plan, root)
    assert collected.answers(key, *TASK) is None
    (problem,) = collected.problems
    assert problem.startswith(f"results/mini/probe/{key}/predictions.npz: ")


def test_runs_on_other_test_images_are_not_compared(probe, damage):
    plan, root, key, folder = probe
    other = next(name for name, entry in plan.probe.items() if name != key and entry["data"] == plan.probe[key]["data"])
    with np.load(folder / "predictions.npz") as arrays:
        content = {name: array[::-1] for name, array in arrays.items()}
    damage(folder / "predictions.npz", archive(content))
    collected = Collected(plan, root)
    assert collected.answers(other, *TASK) is not None
    assert collected.answers(key, *TASK) is None
    assert "not about the test images" in next(iter(collected.problems))
