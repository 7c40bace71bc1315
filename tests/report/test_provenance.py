import json
import subprocess
from copy import deepcopy

import pytest

from protofair.report.provenance import read_provenance


@pytest.fixture
def suite(plan_of, fabricate, tmp_path):
    plan = plan_of("mini", only=["utkface-a4"])
    fabricate(plan, tmp_path, rows=100)
    return plan, tmp_path


def edit(path, **values):
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def run_file(root, stage, key):
    return root / "results" / "mini" / stage / key / "run.json"


def test_time_is_summed_by_stage_and_device(suite):
    plan, root = suite
    for key in plan.probe:
        edit(run_file(root, "probe", key), wall_seconds=1800.0)
    first = next(iter(plan.probe))
    hardware = {"device": "cpu", "gpu": None, "cpu": "Another CPU", "cores": 2, "threads": 2, "system": "Linux"}
    edit(run_file(root, "probe", first), hardware=hardware)
    found, problems = read_provenance(plan, root)
    probes = {stage.stage: stage for stage in found.stages}["probe"]
    assert (probes.planned, probes.done) == (len(plan.probe), len(plan.probe))
    assert probes.seconds == 1800.0 * len(plan.probe)
    assert probes.devices == {"A GPU": 0.5 * (len(plan.probe) - 1), "cpu": 0.5}
    assert found.hardware == ("A CPU, 16 cores, A GPU", "Another CPU, 2 cores")
    assert problems == []


def test_versions_that_differ_are_all_named(suite):
    plan, root = suite
    edit(run_file(root, "probe", next(iter(plan.probe))), versions={"torch": "2.12.0", "cuda": None})
    found, _ = read_provenance(plan, root)
    assert found.versions["torch"] == ("2.12.0", "2.13.0")
    assert found.versions["cuda"] == ("13.0",)


def test_the_date_is_that_of_the_newest_run_that_recorded_one(suite):
    plan, root = suite
    assert read_provenance(plan, root)[0].date is None
    for key, day in zip(plan.warmup, ("2026-05-01", "2026-06-01"), strict=False):
        edit(run_file(root, "warmup", key), finished=f"{day}T10:00:00+00:00")
    assert read_provenance(plan, root)[0].date == "2026-06-01T10:00:00+00:00"


@pytest.mark.parametrize("text", ["", "{}", '{"wall_seconds": 3}', "[1]", '{"wall_seconds": "x", "hardware": {}}'])
def test_a_broken_record_is_a_problem_and_the_others_count(suite, text):
    plan, root = suite
    key = next(iter(plan.fair))
    run_file(root, "fair", key).write_text(text)
    found, problems = read_provenance(plan, root)
    assert {stage.stage: stage.done for stage in found.stages}["fair"] == len(plan.fair) - 1
    assert len(problems) == 1
    assert problems[0].startswith(f"results/mini/fair/{key}/run.json: ")


def test_the_plan_hash_is_of_what_is_planned(suite):
    plan, root = suite
    changed = deepcopy(plan)
    next(iter(changed.fair.values()))["weight"] = 0.31
    hashes = [read_provenance(each, root)[0].plan_hash for each in (plan, deepcopy(plan), changed)]
    assert hashes[0] == hashes[1] != hashes[2]


def test_the_commit_says_whether_the_code_was_changed(suite):
    plan, root = suite

    def git(*arguments):
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)

    assert read_provenance(plan, root)[0].commit is None
    git("init")
    (root / "protofair").mkdir()
    (root / "protofair" / "code.py").write_text("1\n")
    git("add", "protofair")
    git("commit", "-m", "first")
    commit = read_provenance(plan, root)[0].commit
    assert len(commit) == 40
    (root / "protofair" / "code.py").write_text("2\n")
    assert read_provenance(plan, root)[0].commit == f"{commit} with changes"


def test_the_container_is_hashed_once_and_again_when_it_changes(suite, monkeypatch):
    plan, root = suite
    assert read_provenance(plan, root)[0].container is None
    image = root / "docker" / "protofair.sif"
    image.parent.mkdir()
    image.write_bytes(b"one")
    first = read_provenance(plan, root)[0].container
    assert first == "sha256:7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"
    with monkeypatch.context() as patch:
        patch.setattr("hashlib.file_digest", None)  # it is not read again
        assert read_provenance(plan, root)[0].container == first
    image.write_bytes(b"three")
    assert read_provenance(plan, root)[0].container != first


def test_data_cards_in_facts(suite):
    plan, root = suite
    (card,) = read_provenance(plan, root)[0].data
    facts = dict(card.facts)
    assert (card.key, card.source, card.state, card.images) == ("utkface-32-a4", "official", "done", 1000)
    assert facts["images"] == "train 800, val 100, test 100"
    assert len(facts["images.npy, sha256"]) == 64
    path = root / "data" / "packed" / "utkface-32-a4" / "card.json"
    path.write_text("{")
    found, problems = read_provenance(plan, root)
    assert found.data[0].state == "broken"
    assert problems[0].startswith("data/packed/utkface-32-a4/card.json: ")
    path.unlink()
    found, problems = read_provenance(plan, root)
    assert (found.data[0].state, problems) == ("pending", [])
    assert ("to do", "dvc repro prepare@utkface-32-a4") in found.data[0].facts
