"""The stage that trains a method: what it reads, writes and refuses."""

import hashlib
import json

import pytest
import torch

from protofair.core.entries import Plan
from protofair.core.errors import UserError
from protofair.objectives import build_encoder
from protofair.probe.run import run_probe
from protofair.train.identity import CODE, code_hash

CE = {"name": "ce", "target": "Smiling"}
METHODS = {
    "lnl": {"target", "bias"},
    "mfd": {"student"},
    "fd-vae": {"vae", "discriminator", "classifier"},
}


@pytest.fixture
def teacher(project):
    """The CE run that MFD learns from."""
    return project.warmup("ce", objective=CE, epochs=1, keep=[1])


@pytest.mark.parametrize("method", METHODS)
def test_a_checkpoint_holds_the_encoder_the_classifier_all_networks_and_all_optimisers(project, teacher, method):
    folder = project.baseline(method)
    kept = project.checkpoint(folder, 3)
    assert set(kept["optimisers"]) == METHODS[method]
    name = "fd-vae-small" if method == "fd-vae" else "resnet-tiny"
    build_encoder(name).load_state_dict(kept["encoder"])
    for part in ("encoder", "classifier"):
        for key, value in kept[part].items():
            assert torch.equal(kept["method"][f"{part}.{key}"], value)
    config = json.loads(kept["config"])
    assert config["stage"] == "baseline"
    assert config["baseline"]["method"]["name"] == method
    assert [record["epoch"] for record in project.log(folder)] == [1, 2, 3]
    run = json.loads((folder / "run.json").read_text())
    assert run["code"] == code_hash(names=(*CODE, "baselines")) != code_hash()


def test_fd_vae_goes_from_the_vae_to_its_classifier_within_one_run(project):
    records = project.log(project.baseline("fd-vae"))
    assert ["reconstruction" in record for record in records] == [True, True, False]
    assert len({record["lr"] for record in records}) == 1, "a constant rate"


def test_mfds_teacher_is_the_encoder_of_the_ce_run(project, teacher):
    folder = project.baseline("mfd")
    encoder, method = project.checkpoint(teacher, 1)["encoder"], project.checkpoint(folder, 3)["method"]
    assert all(torch.equal(method[f"teacher.{name}"], value) for name, value in encoder.items())
    run = json.loads((folder / "run.json").read_text())
    path = "results/tiny/warmup/ce/checkpoints/epoch-001.pt"
    assert run["inputs"][path] == hashlib.sha256((project.path / path).read_bytes()).hexdigest()
    assert run["config"]["warmup"]["objective"]["name"] == "ce"


def test_a_teacher_that_is_not_trained_yet_is_named_with_the_command(project):
    project.plan["warmup"]["ce"] = project.warmup_entry(objective=CE, keep=[3])
    with pytest.raises(UserError, match=r"no such checkpoint\. Train it: protofair warmup ce"):
        project.baseline("mfd")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"objective": {"name": "supcon", "target": "Smiling"}}, "'ce' has the objective 'supcon', expected 'ce'"),
        ({"adversary": {"sensitive": "Male"}}, "'ce' has the adversary "),
    ],
)
def test_a_teacher_that_is_no_plain_ce_run_is_refused(project, changes, message):
    project.warmup("ce", **{"objective": CE, "epochs": 1, "keep": [1], **changes})
    with pytest.raises(UserError, match=message):
        project.baseline("mfd")


@pytest.mark.parametrize(
    ("method", "changes", "message"),
    [
        (
            "mfd",
            {"encoder": {"name": "resnet-narrow"}},
            "'ce' has the encoder 'resnet-tiny', expected 'resnet-narrow'",
        ),
        ("mfd", {"seed": 1}, "'ce' has the seed 0, expected 1"),
        ("mfd", {"method": {"name": "mfd", "target": "Male", "sensitive": "Smiling"}}, "'ce' has the target 'Smiling'"),
        ("mfd", {"teacher": None}, "teacher: the method 'mfd' needs one"),
        ("lnl", {"teacher": "ce"}, "teacher: the method 'lnl' has none"),
        ("fd-vae", {"epochs": 1}, "epochs: 1, but the method 'fd-vae' needs at least 2"),
        ("fd-vae", {"encoder": {"name": "resnet-tiny"}}, "baseline.b: 'encoder.name': the method 'fd-vae' has"),
        (
            "lnl",
            {"method": {"name": "lnl", "target": "Same", "sensitive": "Male"}},
            "'method.target': all training images",
        ),
        (
            "lnl",
            {"method": {"name": "lnl", "target": "Smiling", "sensitive": "age"}},
            "classes, the head is built for 2. Set its number of classes.",
        ),
        ("lnl", {"method": {"name": "lmnl"}}, "'method': Input tag 'lmnl'"),
    ],
)
def test_what_cannot_be_trained_is_refused_before_anything_is_written(project, request, method, changes, message):
    if method == "mfd":
        request.getfixturevalue("teacher")
    with pytest.raises(UserError) as caught:
        project.baseline(method, **changes)
    assert message in str(caught.value)
    assert project.states() == []


@pytest.mark.parametrize("method", METHODS)
def test_the_probe_measures_the_checkpoint_and_its_own_classifier(project, teacher, method):
    project.baseline(method)
    checkpoint = {"stage": "baseline", "key": "b", "epoch": 3}
    tasks = [{"target": "Smiling", "sensitive": "Male"}]
    entry = {"checkpoint": checkpoint, "data": "noise", "tasks": tasks, "epochs": 1, "neighbours": 2, "bootstrap": 5}
    project.plan["probe"] = {"b": entry}
    (task,) = run_probe(Plan.read(project.plan_path()), "b")["tasks"]
    assert 0 <= task["test"]["own"]["accuracy"]["value"] <= 100
