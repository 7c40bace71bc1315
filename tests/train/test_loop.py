import json
import math
from types import SimpleNamespace

import pytest
import torch

import protofair.train.loop as loop
from protofair.core.errors import UserError
from protofair.train.stage import Options
from protofair.train.stop import Stop, StopRequest
from protofair.train.trainer import Trainer
from protofair.train.watch import TrainingError


def test_the_log_has_what_happened(warm_project):
    project = warm_project
    records = [json.loads(line) for line in (project.fair() / "log.jsonl").read_text().splitlines()]
    assert [record["epoch"] for record in records] == [2, 3]
    for record in records:
        for name in (
            "lr", "loss", "base", "fair", "within", "cross", "pairs_within", "pairs_queue", "anchors_within",
            "anchors_queue", "queue_fill", "images_per_second", "seconds",
        ):  # fmt: skip
            assert isinstance(record[name], float), name
        for found in (record["clusters"], record["kmeans"]):
            assert sum(found["occupancy"]) == pytest.approx(1, abs=1e-5)
            assert 0.5 <= found["sensitive_purity"] <= 1
            assert 0 <= found["pair_purity"] <= 1
    assert records[0]["pairs_within"] > 0
    assert records[0]["pairs_queue"] > 0


def test_pair_purity_is_left_open_where_no_target_is_known(project):
    project.warmup(objective={"name": "simclr"})
    assert [record["kmeans"]["pair_purity"] for record in project.log(project.fair())] == [None, None]


@pytest.mark.parametrize("check_every", [1, 20])
def test_a_loss_that_is_not_finite_stops_the_run_and_names_the_first_bad_step(project, monkeypatch, check_every):
    monkeypatch.setattr(loop, "CHECK_EVERY", check_every)
    original = Trainer.step

    def step(self, batch, *, epoch, step):
        numbers = original(self, batch, epoch=epoch, step=step)
        return numbers | {"base": torch.tensor(math.nan)} if (epoch, step) == (2, 1) else numbers

    monkeypatch.setattr(Trainer, "step", step)
    with pytest.raises(TrainingError) as caught:
        project.warmup()
    text = str(caught.value)
    assert text.startswith("plan.yaml: warmup.w: epoch 2, step 2 of 3: non-finite: loss ")
    assert text.endswith("Lower 'optimiser.lr', or set 'optimiser.ramp_epochs'.")
    assert "base nan" in text
    (state,) = project.states()
    assert f"Last good checkpoint: {state.relative_to(project.path) / 'last.state'}" in text
    assert caught.value.exit_code == 1
    assert not any((project.path / "results/tiny/warmup/w").iterdir())


def test_a_real_divergence_is_caught_and_no_bad_state_is_ever_saved(project):
    with pytest.raises(TrainingError, match=r"epoch 1, step \d of 3: non-finite"):
        project.warmup(options=Options(save_minutes=0), optimiser={"lr": 1e30, "batch_size": 8})
    for path in project.path.glob(".cache/checkpoints/*/*.state"):
        parts = loop.Checkpoints(path.parent).load()["trainer"]
        assert all(value.isfinite().all() for value in parts["encoder"].values())


def test_weights_broken_by_the_very_last_step_are_caught(project, monkeypatch):
    original = Trainer.step

    def step(self, batch, *, epoch, step):
        numbers = original(self, batch, epoch=epoch, step=step)
        if (epoch, step) == (3, 2):
            next(self.networks.encoder.parameters()).data[0] = math.inf
        return numbers

    monkeypatch.setattr(Trainer, "step", step)
    with pytest.raises(TrainingError, match="epoch 3, step 3 of 3: non-finite weights"):
        project.warmup()
    assert not any((project.path / "results/tiny/warmup/w").iterdir())


def test_the_state_is_saved_every_so_many_minutes_and_at_the_end(project, monkeypatch):
    minutes, saved = [0], []

    def step(self, batch, *, epoch, step):
        minutes[0] += 1
        return original(self, batch, epoch=epoch, step=step)

    def save(self, state):
        saved.append((state["epoch"], state["step"]))

    original = Trainer.step
    monkeypatch.setattr(loop, "time", SimpleNamespace(monotonic=lambda: 60.0 * minutes[0]))
    monkeypatch.setattr(Trainer, "step", step)
    monkeypatch.setattr(loop.Checkpoints, "save", save)
    project.warmup(options=Options(save_minutes=2, save_epochs=100))
    assert saved == [(1, 2), (2, 1), (2, 3), (3, 2), (4, 0)], "three epochs of three steps"


def test_a_stop_during_kmeans_saves_and_goes_on_to_the_same_end(warm_project, monkeypatch):
    project = warm_project
    expected = project.outputs(project.fair("whole"))
    calls = []

    def here(self):
        calls.append(1)
        if len(calls) == 2:  # between two batches of the first K-means
            raise StopRequest(15)

    with monkeypatch.context() as patch:
        patch.setattr(Stop, "here", here)
        with pytest.raises(SystemExit) as caught:
            project.fair("whole")
    assert caught.value.code == 143
    (state,) = project.states()
    assert (state / "last.state").exists()
    assert project.outputs(project.fair("whole")) == expected


def test_a_damaged_state_is_named_and_the_previous_one_used(project, monkeypatch, capsys):
    expected = project.outputs(project.warmup())
    original = Trainer.step

    def step(self, batch, *, epoch, step):
        if (epoch, step) == (3, 1):
            raise RuntimeError("pulled the plug")
        return original(self, batch, epoch=epoch, step=step)

    with monkeypatch.context() as patch:
        patch.setattr(Trainer, "step", step)
        with pytest.raises(RuntimeError):
            project.warmup()
    (state,) = project.states()
    (state / "last.state").write_bytes(b"torn")
    assert project.outputs(project.warmup()) == expected
    said = capsys.readouterr().err
    assert "last.state is damaged and was left out" in said
    assert "continues after step 0 of epoch 2" in said


def test_a_loss_at_its_start_is_warned_of(project, monkeypatch, capsys):
    original = Trainer.step

    def step(self, batch, *, epoch, step):
        start = torch.tensor(0.1 / 0.07 * math.log(15))
        return original(self, batch, epoch=epoch, step=step) | {"base": start}

    monkeypatch.setattr(Trainer, "step", step)
    records = project.log(project.warmup())
    assert ["warning" in record for record in records] == [False, True, False]
    assert "warning: for 2 epochs the loss has not left its start" in capsys.readouterr().err


def test_another_number_of_threads_is_told(project, monkeypatch, capsys):
    with monkeypatch.context() as patch:
        patch.setattr(Trainer, "begin_epoch", stop_in_epoch_2)
        with pytest.raises(SystemExit):
            project.warmup()
    monkeypatch.setattr(torch, "get_num_threads", lambda: 64)
    project.warmup()
    assert "goes on with cpu with 64 threads" in capsys.readouterr().err


def stop_in_epoch_2(self, epoch, pause):
    if epoch == 2:
        raise StopRequest(15)


def test_two_runs_of_one_entry_at_once_are_refused(project, monkeypatch):
    seen = []

    def begin_epoch(self, epoch, pause):
        if not seen:
            seen.append(1)
            with pytest.raises(UserError, match="another process is training this"):
                project.warmup()

    monkeypatch.setattr(Trainer, "begin_epoch", begin_epoch)
    project.warmup()
    assert seen


def test_a_fair_phase_that_runs_away_is_told_what_steadies_it(warm_project):
    with pytest.raises(TrainingError, match=r"plan.yaml: fair.f: epoch 2, .*non-finite.*Lower 'weight', or the rate"):
        warm_project.fair(weight=1e30)
