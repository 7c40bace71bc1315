import hashlib
import json
import shutil
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from protofair.core.errors import UserError
from protofair.core.packed import Packed
from protofair.objectives import build_encoder
from protofair.probe import run as probe_run
from protofair.probe.metrics import equalized_odds
from protofair.probe.run import run_probe

FOLDER = Path("results/demo/probe/a")
FILES = ("metrics.json", "predictions.npz", "run.json", "summary.json")


@pytest.fixture
def run(write_plan, entry):
    """Run the quick entry, with some of it changed."""
    return lambda **changes: run_probe(write_plan(probe={"a": entry | changes}), "a")


def written():
    return json.loads((FOLDER / "metrics.json").read_text())


def test_a_run_writes_its_files_and_nothing_else(run):
    returned = run()
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(FILES)
    assert written() == returned


def test_metrics_hold_tasks_configuration_and_hashes(run):
    run()
    metrics = written()
    assert [(task["target"], task["sensitive"]) for task in metrics["tasks"]] == [
        ("Smiling", "Male"),
        ("Smiling", "race"),
    ]
    assert metrics["config"]["probe"]["lr"] == 0.1
    assert metrics["config"]["training"]["warmup"]["encoder"]["name"] == "resnet-narrow"
    files = ["results/demo/warmup/base/checkpoints/epoch-003.pt", "data/packed/tiny/manifest.json"]
    assert metrics["inputs"] == {file: hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in files}
    for task in metrics["tasks"]:
        assert task["test"]["count"] == 80
        assert task["val"]["count"] == 60


def test_the_summary_has_the_test_splits_numbers_by_task(run):
    run()
    summary = json.loads((FOLDER / "summary.json").read_text())
    assert list(summary) == ["Smiling/Male", "Smiling/race"]
    for task in written()["tasks"]:
        numbers = summary[f"{task['target']}/{task['sensitive']}"]
        assert numbers["equalized_odds"] == task["test"]["equalized_odds"]["value"]
        assert numbers["sensitive_accuracy"] == task["test"]["sensitive"]["accuracy"]["value"]


def test_run_json_holds_versions_hardware_and_time(run):
    run()
    record = json.loads((FOLDER / "run.json").read_text())
    assert record["versions"]["torch"] == torch.__version__
    assert record["hardware"]["cores"] >= 1
    assert record["wall_seconds"] > 0
    assert {name: record[name] for name in ("config", "inputs")} == {
        name: written()[name] for name in ("config", "inputs")
    }


@pytest.mark.parametrize("augment", [False, True])
def test_the_same_inputs_give_the_same_bytes(run, augment):
    def content():
        run(augment=augment)
        return {name: (FOLDER / name).read_bytes() for name in ("metrics.json", "predictions.npz")}

    assert content() == content()


def test_predictions_are_those_behind_the_metrics(run):
    run()
    packed = Packed.open(Path("data/packed/tiny"))
    metrics = written()
    with np.load(FOLDER / "predictions.npz") as arrays:
        for split in ("val", "test"):
            rows = packed.rows(split)
            np.testing.assert_array_equal(arrays[f"Smiling/{split}/label"], packed.values("Smiling", rows))
            np.testing.assert_array_equal(
                np.array([0, 1, 4])[arrays[f"race/{split}/label"]], packed.values("race", rows)
            )
            assert arrays[f"race/{split}/score"].shape == (len(rows), 3)
            prediction = arrays[f"Smiling/{split}/prediction"]
            np.testing.assert_array_equal(prediction, arrays[f"Smiling/{split}/score"][:, 0] > 0)
            for task in metrics["tasks"]:
                groups = packed.values(task["sensitive"], rows)
                eo = equalized_odds(packed.values("Smiling", rows), prediction, sensitive=groups)
                assert task[split]["equalized_odds"]["value"] == pytest.approx(eo, abs=1e-5)
            right = np.mean(arrays[f"Male/{split}/prediction"] == packed.values("Male", rows))
            found = metrics["tasks"][0][split]["sensitive"]["accuracy"]["value"]
            assert found == pytest.approx(100 * right, abs=1e-5)
        assert {array.dtype for array in arrays.values()} == {np.dtype("uint8"), np.dtype("float32")}


def test_probes_learn_what_the_images_show(run):
    run(epochs=20)
    test = written()["tasks"][0]["test"]
    assert test["accuracy"]["low"] > test["majority_rate"]["value"]
    assert test["sensitive"]["accuracy"]["low"] > test["sensitive"]["majority_rate"]["value"]


def test_test_labels_play_no_part_in_training(run):
    def scores():
        run()
        with np.load(FOLDER / "predictions.npz") as arrays:
            return arrays["Smiling/test/score"]

    before = scores()
    path = Path("data/packed/tiny/labels.csv")
    table = pd.read_csv(path)
    held_out = table["split"] != "train"
    table.loc[held_out, "Smiling"] = 1 - table.loc[held_out, "Smiling"]
    table.to_csv(path, index=False)
    np.testing.assert_array_equal(scores(), before)


def test_a_task_does_not_depend_on_the_others(run, entry):
    both = run()["tasks"]
    alone = run(tasks=entry["tasks"][1:])["tasks"]
    assert alone == both[1:]


def test_augmented_crops_change_the_probe_but_not_what_it_is_tested_on(run):
    plain, augmented = run()["tasks"][0]["test"], run(augment=True)["tasks"][0]["test"]
    assert plain["accuracy"] != augmented["accuracy"] or plain["auroc"] != augmented["auroc"]
    assert plain["mixing"] == augmented["mixing"]


def test_a_data_set_without_validation_has_test_metrics_only(run):
    path = Path("data/packed/tiny/labels.csv")
    table = pd.read_csv(path)
    table.loc[table["split"] == "val", "split"] = ""
    table.to_csv(path, index=False)
    assert "val" not in run()["tasks"][0]


def test_an_empty_cell_is_null_in_the_file(run):
    path = Path("data/packed/tiny/labels.csv")
    table = pd.read_csv(path)
    table.loc[(table["split"] == "test") & (table["Male"] == 1), "Smiling"] = 0
    table.to_csv(path, index=False)
    with pytest.warns(UserWarning, match="Smiling/Male, test: no image has target 1 and sensitive value 1"):
        run()
    assert written()["tasks"][0]["test"]["equalized_odds"] == {"value": None, "low": None, "high": None}
    assert written()["tasks"][0]["val"]["equalized_odds"]["value"] is not None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"tasks": [{"target": "Smilling", "sensitive": "Male"}]},
            "plan.yaml: probe.a: 'tasks': data/packed/tiny: no attribute 'Smilling'. Did you mean 'Smiling'",
        ),
        ({"tasks": [{"target": "Smiling", "sensitive": "age"}]}, "'age' has"),
        ({"data": "absent"}, "data/packed/absent/images.npy: no such file"),
        ({"checkpoint": {"stage": "fair", "key": "f", "epoch": 5}}, "results/demo/fair/f/checkpoints/epoch-005.pt"),
        ({"neighbours": 60}, "plan.yaml: probe.a: 'neighbours': 60 is too many for the 60 images in 'val'"),
    ],
)
def test_an_error_names_its_cause_and_overwrites_nothing(run, changes, message):
    run()
    before = {name: (FOLDER / name).read_bytes() for name in FILES}
    with pytest.raises(UserError, match=message):
        run(**changes)
    assert {name: (FOLDER / name).read_bytes() for name in FILES} == before


def test_an_encoder_that_diverged_is_refused(run):
    path = Path("results/demo/warmup/base/checkpoints/epoch-003.pt")
    content = torch.load(path, weights_only=True)
    next(iter(content["encoder"].values())).fill_(torch.nan)
    torch.save(content, path)
    with pytest.raises(UserError, match=r"epoch-003.pt: encoder: gives features that are not finite"):
        run()


def test_data_that_changed_since_training_is_refused(run):
    Path("data/packed/tiny/manifest.json").write_text('{"dataset": "tiny", "seed": 1}')
    with pytest.raises(UserError, match=r"epoch-003.pt: trained on another version of data/packed/tiny"):
        run()


def test_data_that_was_not_trained_on_may_be_measured(run):
    shutil.copytree("data/packed/tiny", "data/packed/other")
    Path("data/packed/other/manifest.json").write_text("{}")
    assert run(data="other")["tasks"][0]["test"]["count"] == 80


def test_grey_images_are_measured_too(run):
    images = Path("data/packed/tiny/images.npy")
    np.save(images, np.load(images)[..., :1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run()["tasks"][0]["test"]["count"] == 80


def features_of(checkpoint):
    packed, encoder = Packed.open(Path("data/packed/tiny")), build_encoder("resnet-narrow")
    encoder.load_state_dict(checkpoint["encoder"])
    images = torch.from_numpy(packed.images[packed.rows("test")]).permute(0, 3, 1, 2) / 255
    with torch.no_grad():
        return encoder.eval()((images - 0.5) / 0.5)


@pytest.fixture
def classified(world):
    """The checkpoint with a classifier of its own for `Smiling`, and the weights of that."""
    path = Path("results/demo/warmup/base/checkpoints/epoch-003.pt")
    content = torch.load(path, weights_only=True)
    torch.manual_seed(5)
    own = torch.nn.Linear(256, 2)
    with torch.no_grad():  # so that it gives both answers
        logits = own(features_of(content))
        own.bias[1] -= (logits[:, 1] - logits[:, 0]).median()
    config = json.loads(content["config"])
    config["warmup"]["objective"] = {"name": "ce", "target": "Smiling"}
    torch.save(content | {"classifier": own.state_dict(), "config": json.dumps(config)}, path)
    return own


def test_a_classifier_of_its_own_is_measured_beside_the_linear_probe(classified, run):
    linear = {task["sensitive"]: task["test"] for task in run()["tasks"]}
    with np.load(FOLDER / "predictions.npz") as arrays:
        label, predicted = (arrays[f"own/Smiling/test/{part}"] for part in ("label", "prediction"))
        male = arrays["Male/test/label"]
        assert np.array_equal(label, arrays["Smiling/test/label"])
        assert not np.array_equal(predicted, arrays["Smiling/test/prediction"])
        score = arrays["own/Smiling/test/score"]
    own = linear["Male"]["own"]
    assert own["accuracy"]["value"] == pytest.approx(100 * (label == predicted).mean())
    assert own["equalized_odds"]["value"] == pytest.approx(equalized_odds(label, predicted, sensitive=male), abs=1e-5)
    assert "mixing" not in own
    summary = json.loads((FOLDER / "summary.json").read_text())["Smiling/race"]
    assert summary["own_equalized_odds"] == linear["race"]["own"]["equalized_odds"]["value"]

    # What it answers is its own linear layer on the frozen features.
    content = torch.load("results/demo/warmup/base/checkpoints/epoch-003.pt", weights_only=True)
    logits = classified(features_of(content)).detach()
    np.testing.assert_allclose(score[:, 0], logits[:, 1] - logits[:, 0], rtol=1e-3, atol=1e-4)


def test_a_classifier_of_another_attribute_is_not_measured(classified, run):
    run(tasks=[{"target": "Male", "sensitive": "race"}])
    assert "own" not in written()["tasks"][0]["test"]


def test_a_classifier_of_other_classes_is_refused(classified, run):
    path = Path("results/demo/warmup/base/checkpoints/epoch-003.pt")
    content = torch.load(path, weights_only=True)
    torch.save(content | {"classifier": torch.nn.Linear(256, 3).state_dict()}, path)
    with pytest.raises(UserError, match="its classifier knows 3 classes of 'Smiling'"):
        run()


def test_seed_and_resamples_of_the_entry_are_those_of_crops_and_intervals(run, monkeypatch):
    cropped, measured = [], []
    crops, evaluate = probe_run.random_crops, probe_run.evaluate
    monkeypatch.setattr(probe_run, "random_crops", lambda **given: cropped.append(given) or crops(**given))
    monkeypatch.setattr(probe_run, "evaluate", lambda *a, **given: measured.append(given) or evaluate(*a, **given))
    run(seed=5, augment=True, bootstrap=7)
    assert cropped == [{"seed": 5, "epoch": epoch} for epoch in range(3)]
    assert [(given["seed"], given["resamples"]) for given in measured] == [(5, 7)] * 4
