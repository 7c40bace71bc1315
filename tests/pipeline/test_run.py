"""The promises of the pipeline, kept by the real tools: nothing is done twice, nothing is lost."""

import json
import shutil
from collections.abc import Callable
from typing import Any

import pytest
import yaml

TRAINED = "supcon-toy-celeba-16-big_nose-s0"
FAIR = f"{TRAINED}-male-k4-w0_3-2p1"
WARMUP = f"results/tiny/warmup/{TRAINED}"

pytestmark = pytest.mark.slow


def seconds(workspace: Any, folder: str = WARMUP) -> float:
    """The time a training took, as it recorded it: another number means that it ran again."""
    return float(json.loads(workspace.read(f"{folder}/run.json"))["wall_seconds"])


def test_after_snakemake_dvc_is_clean_and_nothing_is_left_to_do(finished: Any):
    assert (finished.path / "results/tiny/report.html").is_file()
    assert finished.stale() == set()
    assert finished.to_do() == set()


def test_dvc_repro_gives_the_same_results_and_leaves_snakemake_nothing(workspace: Any, finished: Any):
    workspace.run("dvc", "repro")
    for key in (FAIR, f"{TRAINED}-e2"):
        name = f"results/tiny/probe/{key}/metrics.json"
        assert workspace.read(name) == finished.read(name)
    assert workspace.to_do() == set()


def test_a_changed_parameter_re_runs_its_descendants_in_both_tools(finished: Any, copy_of: Callable[[Any], Any]):
    workspace = copy_of(finished)
    workspace.change("params/tiny.yaml", "weight: 0.3", "weight: 0.5")
    workspace.plan()
    new = FAIR.replace("w0_3", "w0_5")
    assert workspace.stale() >= {f"fair@{new}", f"probe@{new}", "report"}
    assert not [stage for stage in workspace.stale() if stage.startswith(("acquire", "prepare", "warmup"))]
    assert workspace.to_do() == {f"fair@{new}", f"probe@{new}", "report"}


def test_a_changed_template_trains_nothing(finished: Any, copy_of: Callable[[Any], Any]):
    workspace = copy_of(finished)
    workspace.change("protofair/report/templates/report.html", "<h2 id=", "<h2  id=")
    assert workspace.stale() == {"report"}
    assert workspace.to_do() == {"report"}


def test_deleted_outputs_come_back_from_the_cache(finished: Any, copy_of: Callable[[Any], Any]):
    workspace = copy_of(finished)
    before, took = workspace.read(f"{WARMUP}/checkpoints/epoch-002.pt"), seconds(workspace)
    shutil.rmtree(workspace.path / "results")
    workspace.snakemake()
    assert workspace.read(f"{WARMUP}/checkpoints/epoch-002.pt") == before
    assert seconds(workspace) == took
    assert workspace.stale() == set()


def test_parallel_jobs_lose_nothing(finished: Any, copy_of: Callable[[Any], Any]):
    workspace = copy_of(finished)
    rows = "".join(f"      - {{name: weight {n}, objective: supcon, fair: {{weight: {n}}}}}\n" for n in range(1, 6))
    workspace.change("params/tiny.yaml", "      - {name: SupCon + ProtoFair, objective: supcon, fair: {}}\n", rows)
    workspace.plan()
    fair = {f"fair@{TRAINED}-male-k4-w{n}-2p1" for n in range(1, 6)}
    assert {stage for stage in workspace.to_do() if stage.startswith("fair@")} == fair
    workspace.run("snakemake", "--cores", "5", "--until", "fair")
    locked = yaml.safe_load(workspace.read("dvc.lock"))["stages"]
    assert fair <= set(locked)
    assert not fair & (workspace.stale() | workspace.to_do())


def test_a_failed_run_shows_its_log_and_leaves_the_rest_running(finished: Any, copy_of: Callable[[Any], Any]):
    workspace = copy_of(finished)
    workspace.change("params/tiny.yaml", "weight: 0.3", "weight: 0.5")
    row = "      - {name: SupCon, objective: supcon}\n"
    workspace.change("params/tiny.yaml", row, f"{row}      - {{name: SimCLR, objective: simclr}}\n")
    diverging = "objectives: {simclr: {training: {optimiser: {lr: 1.0e+30}}}}\n"
    workspace.change("params/tiny.yaml", "fair: {epochs: 1", f"{diverging}fair: {{epochs: 1")
    workspace.plan()
    done = workspace.snakemake("--keep-going", check=False)
    assert done.returncode != 0
    assert "finite" in done.stderr, "the end of the failed job's log is shown"
    assert (workspace.path / f"results/tiny/probe/{FAIR.replace('w0_3', 'w0_5')}/metrics.json").is_file()
    assert "report" in workspace.to_do()
