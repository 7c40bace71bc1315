"""The stages as a pipeline sees them: what they read, write and refuse."""

import json
import shutil
from pathlib import Path

import pytest
import torch

from protofair.core.entries import Plan
from protofair.core.errors import UserError
from protofair.train.phases import run_fair, run_warmup
from protofair.train.stage import Options
from protofair.train.stop import StopRequest
from protofair.train.trainer import Trainer


def refused(project, stage: str, key: str) -> str:
    """The message with which a stage refuses an entry of the plan, before it has written anything."""
    before = sorted(project.path.rglob("*"))
    with pytest.raises(UserError) as caught:
        {"warmup": run_warmup, "fair": run_fair}[stage](Plan.read(project.plan_path()), key, Options())
    assert sorted(project.path.rglob("*")) in (before, sorted([*before, project.path / "plan.yaml"]))
    return str(caught.value)


def test_a_warmup_keeps_the_epochs_asked_for(project):
    folder = project.warmup()
    assert folder == Path("results/tiny/warmup/w")
    assert sorted(path.name for path in folder.iterdir()) == ["checkpoints", "log.jsonl", "run.json"]
    assert list(project.outputs(folder)) == ["epoch-001.pt", "epoch-003.pt"]
    for epoch in (1, 3):
        content = project.checkpoint(folder, epoch)
        assert list(content) == [
            "format", "config", "epoch", "encoder", "objective", "cluster_head", "fair", "optimiser"
        ]  # fmt: skip
        assert (content["format"], content["epoch"], content["fair"]) == (1, epoch, {})
        assert json.loads(content["config"])["warmup"] == project.warmup_config().model_dump(mode="json")
    assert not project.states()


def test_a_fair_phase_keeps_its_last_epoch_with_prototypes_and_queue(warm_project):
    project = warm_project
    folder = project.fair()
    assert list(project.outputs(folder)) == ["epoch-003.pt"]
    content = project.checkpoint(folder, 3)
    assert content["fair"]["prototypes"].shape == (3, 128)
    assert content["fair"]["queue.fill"] == 32
    config = json.loads(content["config"])
    assert config["warmup"] == project.warmup_config().model_dump(mode="json")
    assert config["fair"] == project.fair_config().model_dump(mode="json")
    assert config["set"]["fair"] == project.fair_config().model_dump(mode="json", exclude_defaults=True)


def test_the_same_entry_gives_the_same_bytes_under_any_name(warm_project):
    project = warm_project
    assert project.outputs(project.warmup("x")) == project.outputs(Path("results/tiny/warmup/w"))
    first = project.outputs(project.fair("f"))
    assert first == project.outputs(project.fair("g"))
    assert first != project.outputs(project.fair("h", seed=1))


def test_run_json_says_what_made_it(warm_project):
    project = warm_project
    run = json.loads((project.fair() / "run.json").read_text())
    assert (run["stage"], run["key"], run["suite"]) == ("fair", "f", "tiny")
    assert set(run["inputs"]) == {
        "data/packed/noise/manifest.json",
        "results/tiny/warmup/w/checkpoints/epoch-001.pt",
    }
    assert all(len(value) == 64 for value in run["inputs"].values())
    assert run["versions"]["torch"] == torch.__version__
    assert run["hardware"]["device"] == ("cuda" if torch.cuda.is_available() else "cpu")
    assert run["hardware"]["threads"] == torch.get_num_threads()
    assert run["wall_seconds"] > 0
    assert run["resumed"] == 0
    assert run["training_images"] == 24


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"data": "nois"}, "data/packed/nois/images.npy: no such file"),
        (
            {"objective": {"name": "supcon", "target": "Smilin"}},
            "'objective.target': data/packed/noise has no attribute",
        ),
        ({"objective": {"name": "supcon", "target": "Same"}}, "'objective.target': all training images have the same"),
        (
            {"objective": {"name": "ce", "target": "Smiling", "num_classes": 3}},
            "'objective.target': 'Smiling' has 2 classes, the head is built for 3",
        ),
        ({"adversary": {"sensitive": "Same"}}, "'adversary.sensitive': all training images have the same"),
        ({"optimiser": {"batch_size": 25}}, "24 training images do not fill a batch of 25"),
        ({"keep": [4]}, "plan.yaml: warmup.w: "),
        ({"epoch": 3}, "unknown key 'epoch'. Did you mean 'epochs'?"),
    ],
)
def test_a_warmup_that_cannot_be_is_refused(project, change, message):
    project.plan["warmup"]["w"] = project.warmup_entry(**change)
    assert message in refused(project, "warmup", "w")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"sensitive": "Mal"},
            "plan.yaml: fair.f: 'sensitive': data/packed/noise has no attribute 'Mal'. Did you",
        ),
        ({"sensitive": "Same"}, "'sensitive': all training images have the same 'Same'"),
        ({"num_prototypes": 25}, "'num_prototypes': 25 prototypes for 24 training images"),
        ({"from_epoch": 2}, "keeps the epochs 1, 3, not 2"),
        ({"from_epoch": 4}, "above the 3 epochs"),
        ({"data": "other"}, "'data': 'other'"),
        ({"warmup": "v"}, "results/tiny/warmup/v/checkpoints/epoch-001.pt: no such checkpoint. Train it: "),
    ],
)
def test_a_fair_phase_that_cannot_be_is_refused(warm_project, change, message):
    project = warm_project
    project.plan["fair"]["f"] = project.fair_entry(**change)
    assert message in refused(project, "fair", "f")


def test_a_checkpoint_of_another_configuration_is_refused(warm_project):
    project = warm_project
    project.plan["fair"]["f"] = project.fair_entry()
    project.plan["warmup"]["w"]["optimiser"]["lr"] = 0.2
    message = refused(project, "fair", "f")
    assert "epoch-001.pt: trained with 'optimiser.lr' = 0.05, but the plan says 0.2." in message
    assert "Train it: protofair warmup w" in message


def test_a_checkpoint_of_other_data_is_refused(warm_project, make_project):
    project = warm_project
    shutil.rmtree("data")
    make_project(project.path, seed=1)
    project.plan["fair"]["f"] = project.fair_entry()
    assert "trained on other data than data/packed/noise holds now" in refused(project, "fair", "f")


def test_a_checkpoint_of_another_stage_is_refused(warm_project):
    project = warm_project
    fair = project.fair("f", epochs=2) / "checkpoints/epoch-003.pt"
    shutil.copy(fair, Path("results/tiny/warmup/w/checkpoints/epoch-003.pt"))
    project.plan["fair"]["g"] = project.fair_entry(from_epoch=3)
    assert "epoch-003.pt: trained by the stage 'fair'. Train it: protofair warmup w" in refused(project, "fair", "g")


def test_a_checkpoint_of_another_epoch_is_refused(warm_project):
    project, checkpoints = warm_project, Path("results/tiny/warmup/w/checkpoints")
    shutil.copy(checkpoints / "epoch-003.pt", checkpoints / "epoch-001.pt")
    project.plan["fair"]["f"] = project.fair_entry()
    assert "epoch-001.pt: holds epoch 3, not 1" in refused(project, "fair", "f")


@pytest.mark.parametrize("content", [b"", b"PK but no archive", None])
def test_a_damaged_checkpoint_is_refused(warm_project, content):
    project, path = warm_project, Path("results/tiny/warmup/w/checkpoints/epoch-001.pt")
    path.write_bytes(path.read_bytes()[:-1000] if content is None else content)
    project.plan["fair"]["f"] = project.fair_entry()
    assert "epoch-001.pt: not a readable checkpoint" in refused(project, "fair", "f")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("epoch", None, "holds no encoder with its epoch"),
        ("config", "[]", "holds no encoder with its epoch and configuration"),
        ("optimiser", None, "not the networks and optimiser of its warm-up"),
        ("encoder", {}, "not the networks and optimiser of its warm-up"),
    ],
)
def test_a_checkpoint_that_lacks_something_is_refused(warm_project, name, value, message):
    project, path = warm_project, Path("results/tiny/warmup/w/checkpoints/epoch-001.pt")
    content = torch.load(path, weights_only=True)
    if value is None:
        del content[name]
    else:
        content[name] = value
    torch.save(content, path)
    project.plan["fair"]["f"] = project.fair_entry()
    assert f"epoch-001.pt: {message}" in refused(project, "fair", "f")


def test_a_warmup_need_not_be_in_the_plan(warm_project):
    project = warm_project
    project.plan["warmup"] = {}
    assert project.fair()


def test_an_unknown_key_and_a_file_that_is_no_plan_are_refused(project):
    project.plan["warmup"]["supcon"] = project.warmup_entry()
    assert "warmup: no entry 'supcom'. Did you mean 'supcon'?" in refused(project, "warmup", "supcom")
    project.plan = {"warmup": {}}
    assert "'suite' is missing, so this is no plan" in refused(project, "warmup", "supcon")


def test_new_outputs_take_the_place_of_old_ones(project):
    folder = project.warmup()
    (folder / "checkpoints" / "epoch-002.pt").write_text("from another time")
    (folder / ".gitignore").write_text("/checkpoints")
    project.warmup()
    assert list(project.outputs(folder)) == ["epoch-001.pt", "epoch-003.pt"]
    assert (folder / ".gitignore").exists()


def test_wall_time_and_resumes_add_up(project, monkeypatch):
    import protofair.train.loop as loop

    def begin_epoch(self, epoch, pause):
        if epoch == 2:
            raise StopRequest(15)

    clock = iter(range(0, 100_000, 60))
    monkeypatch.setattr(loop.time, "monotonic", lambda: float(next(clock)))
    with monkeypatch.context() as patch:
        patch.setattr(Trainer, "begin_epoch", begin_epoch)
        with pytest.raises(SystemExit):
            project.warmup(options=Options(save_minutes=1e9))
    spent = next(clock)
    run = json.loads((project.warmup(options=Options(save_minutes=1e9)) / "run.json").read_text())
    assert run["resumed"] == 1
    assert run["wall_seconds"] > spent - 120


def test_a_checkpoint_of_which_a_bit_has_changed_is_refused(warm_project):
    project, path = warm_project, Path("results/tiny/warmup/w/checkpoints/epoch-001.pt")
    content = bytearray(path.read_bytes())
    weight = project.checkpoint(path.parent.parent, 1)["encoder"]["trunk.1.weight"]
    content[content.index(weight.numpy().tobytes())] ^= 1
    path.write_bytes(content)
    project.plan["fair"]["f"] = project.fair_entry()
    assert "epoch-001.pt: not a readable checkpoint" in refused(project, "fair", "f")


def test_a_warmup_whose_weights_are_not_finite_is_refused(warm_project):
    project, path = warm_project, Path("results/tiny/warmup/w/checkpoints/epoch-001.pt")
    content = torch.load(path, weights_only=True)
    content["encoder"]["trunk.0.weight"][0] = torch.nan
    torch.save(content, path)
    project.plan["fair"]["f"] = project.fair_entry()
    message = refused(project, "fair", "f")
    assert "epoch-001.pt: its weights are not finite. Delete it and train again: protofair warmup w" in message


def test_one_process_trains_into_a_folder_whatever_the_other_would_train(project, monkeypatch):
    original, tried = Trainer.step, []

    def step(self, batch, *, epoch, step):
        if not tried:
            tried.append(epoch)
            with pytest.raises(UserError, match=r"results/tiny/warmup/w: another process is training this. Wait"):
                project.warmup(seed=1)
        return original(self, batch, epoch=epoch, step=step)

    monkeypatch.setattr(Trainer, "step", step)
    first = project.outputs(project.warmup())
    assert tried
    assert project.outputs(project.warmup(seed=1)) != first


def test_a_folder_that_cannot_be_written_to_is_noticed_before_anything_is_trained(project, monkeypatch):
    monkeypatch.setattr(Trainer, "step", None)
    Path("results").symlink_to("/proc/self")
    with pytest.raises(OSError, match="results"):
        project.warmup()
    Path("results").unlink()
    Path("results").write_text("a file")
    with pytest.raises(UserError, match=r"results/tiny/warmup/w: a file is in the place of this folder"):
        project.warmup()


def test_runs_of_one_configuration_do_not_share_a_state(project, monkeypatch):
    """Else the second would go on with the first one's epochs, and publish its wall time."""

    def begin_epoch(self, epoch, pause):
        raise StopRequest(15)

    monkeypatch.setattr(Trainer, "begin_epoch", begin_epoch)
    for key in ("a", "b"):
        with pytest.raises(SystemExit):
            project.warmup(key)
    assert len(project.states()) == 2
