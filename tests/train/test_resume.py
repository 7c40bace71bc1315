"""Killed at any moment and started again, a run ends with the same bits as one that was never interrupted."""

import json
import random
import shutil
import signal
import time

import pytest

from protofair.train.stop import Stop, StopRequest

# The second has every kind of state: momentum networks, MoCo's queue, prototypes, ProtoFair's queue across a K-means,
# and an adversary that the fair phase continues.
CASES = {
    "warmup": ("warmup", {"objective": {"name": "supcon", "target": "Smiling"}}),
    "fair": ("fair", {"objective": {"name": "moco", "queue_size": 64}, "adversary": {"sensitive": "Male"}}),
}
# Two optimisers; a teacher; two phases, three optimisers, and random numbers in every step.
METHODS = ("lnl", "mfd", "fd-vae")
# The other objectives, each with what it adds to the state.
OBJECTIVES = {
    "ce": {"name": "ce", "target": "Smiling"},
    "ce with adversary": {"name": "ce", "target": "Smiling"},
    "fscl": {"name": "fscl", "target": "Smiling", "sensitive": "Male"},
    "fscl-plus": {"name": "fscl-plus", "target": "Smiling", "sensitive": "Male"},
    "fscl-star": {"name": "fscl-star", "sensitive": "Male"},
    "simclr with adversary": {"name": "simclr"},
    "moco": {"name": "moco", "queue_size": 64},
    "byol": {"name": "byol", "hidden": 32, "out": 16},
    "barlow-twins": {"name": "barlow-twins", "width": 32},
}


class Stage:
    """A stage that can be run, killed and compared."""

    def __init__(self, project, processes, name, entry):
        self.project, self.processes, self.name = project, processes, name
        self.folder = project.path / "results" / "tiny" / name / "w"
        if name == "baseline":
            ce = {"name": "ce", "target": "Smiling"}
            project.plan["warmup"]["ce"] = project.warmup_entry(objective=ce, epochs=1, keep=[1])
            project.plan["baseline"]["w"] = project.baseline_entry(entry["method"])
        else:
            project.plan["warmup"]["w"] = project.warmup_entry(**entry, epochs=5, keep=[1, 2, 5])
            project.plan["fair"]["w"] = project.fair_entry(epochs=4, queue_on_reinit="keep")
        project.plan_path()
        if name == "fair":
            assert self.run(stage="warmup") == 0
        if entry.get("method") == "mfd":
            assert self.run(stage="warmup", key="ce") == 0
        self.expected = self.finish()

    def run(self, *options, stage=None, key="w", **kill):
        return self.processes.run(self.project.path, stage or self.name, key, "--plan", "plan.yaml", *options, **kill)

    def finish(self, *options):
        """Run it to its end; returns what came out, which is then deleted as a pipeline would before the next run."""
        code = self.run(*options)
        assert code == 0, (self.project.path / "stderr").read_text()
        assert self.project.states() == [], "a run that has ended well leaves no state behind"
        outcome = self.project.outputs(self.folder), self.project.log(self.folder)
        shutil.rmtree(self.folder)
        return outcome

    def saved(self, times, seconds):
        """Says when so many states have been saved from now on, and so many seconds have passed since then."""
        seen, moments = {self.state()}, []

        def reached():
            seen.add(self.state())
            if len(seen) > times and not moments:
                moments.append(time.monotonic())
            return bool(moments) and time.monotonic() - moments[0] >= seconds

        return reached

    def state(self):
        """Another value for every state that is saved; nothing in the moment in which one takes the other's place."""
        try:
            return tuple(path.stat().st_mtime_ns for path in self.project.path.glob(".cache/checkpoints/*/last.state"))
        except FileNotFoundError:
            return ()


@pytest.fixture(scope="module")
def stage(request, tmp_path_factory, make_project, processes):
    case = CASES.get(request.param) or ("baseline", {"method": request.param})
    return Stage(make_project(tmp_path_factory.mktemp("project")), processes, *case)


@pytest.mark.parametrize("stage", [*CASES, *METHODS], indirect=True)
def test_sigkill_at_random_moments(stage):
    """Saved after every step: some processes die before their first step, some between two, some while saving."""
    for _ in range(3):
        moment = stage.saved(random.randrange(3), random.uniform(0, 0.05))
        assert stage.run("--save-minutes", "0", kill_when=moment) == -signal.SIGKILL
        assert not [*stage.folder.glob("*")], "outputs are written at the end only"
    assert stage.finish("--save-minutes", "0") == stage.expected


@pytest.mark.parametrize("stage", CASES, indirect=True)
def test_sigterm_saves_and_exits_143_and_sigkill_loses_less_than_an_epoch(stage):
    seen = []
    epoch_saved = stage.saved(1, 0)
    assert stage.run(kill_when=lambda: epoch_saved() and not seen.append(stage.state()), number=signal.SIGTERM) == 143
    assert stage.state() != seen[0], "SIGTERM saves where the run is, not only where an epoch ends"
    assert "SIGTERM: saved in .cache/checkpoints/" in (stage.project.path / "stderr").read_text()
    assert not [*stage.folder.glob("*")]
    assert stage.run(kill_when=stage.saved(1, 0.02)) == -signal.SIGKILL
    assert stage.finish() == stage.expected


def stop_at(monkeypatch, place, run):
    """Stop a run where it could stop for so many times: after each step, and after each epoch."""
    places = []

    def here(self):
        places.append(1)
        if len(places) == place:
            raise StopRequest(signal.SIGTERM)

    with monkeypatch.context() as patch:
        patch.setattr(Stop, "here", here)
        with pytest.raises(SystemExit):
            run()


@pytest.mark.parametrize("name", [*OBJECTIVES, *METHODS])
def test_any_objective_or_method_stopped_in_the_middle_of_two_epochs(project, monkeypatch, name):
    """In one process, which costs less than killing others."""
    if name == "mfd":
        project.warmup("ce", objective=OBJECTIVES["ce"], epochs=1, keep=[1])

    def run():
        if name in METHODS:
            return project.baseline(name)
        adversary = {"sensitive": "Male"} if "adversary" in name else None
        return project.warmup(objective=OBJECTIVES[name], adversary=adversary)

    folder = run()
    expected = project.outputs(folder), project.log(folder)
    stop_at(monkeypatch, 6, run)  # after two of the three steps of epoch 2
    stop_at(monkeypatch, 4, run)  # and of epoch 3
    run()
    assert json.loads((folder / "run.json").read_text())["resumed"] == 2
    assert (project.outputs(folder), project.log(folder)) == expected
