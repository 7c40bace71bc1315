"""A plan's keys name files and folders, and lead nowhere else."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from protofair.core.entries import Plan
from protofair.core.errors import UserError
from protofair.core.strict import Strict
from protofair.probe.config import Checkpoint
from protofair.train.config import Fair

OUTSIDE = ["../../x", "/x", "a/b", ".", "..", "-x", ""]


@pytest.mark.parametrize("key", OUTSIDE)
def test_an_entry_cannot_be_written_outside_its_folder(key: str):
    plan = Plan(Path("plan.yaml"), "demo", {"warmup": {key: {}}})
    with pytest.raises(UserError, match=r"plan.yaml: warmup: '.*': a key has letters"):
        plan.entry("warmup", key, Strict)


@pytest.mark.parametrize("suite", OUTSIDE)
def test_nor_can_a_suite(tmp_path: Path, suite: str):
    path = tmp_path / "plan.yaml"
    path.write_text(f"suite: '{suite}'")
    with pytest.raises(UserError, match=r"plan.yaml: suite: '.*': a key has letters"):
        Plan.read(path)


@pytest.mark.parametrize("key", OUTSIDE)
def test_nor_can_what_an_entry_reads_lie_outside(key: str):
    with pytest.raises(ValidationError):
        Checkpoint(stage="warmup", key=key, epoch=1)
    with pytest.raises(ValidationError):
        Fair(warmup=key, sensitive="Male")
    with pytest.raises(ValidationError):
        Fair(warmup="w", data=key, sensitive="Male")


def test_a_missing_plan_says_how_to_get_one():
    with pytest.raises(UserError, match=r"nope.yaml: no such file. `protofair plan demo` writes one"):
        Plan.read(Path("nope.yaml"))


@pytest.mark.parametrize(
    ("stage", "message"),
    [
        ([1], r"plan.yaml: 'warmup': expected entries by key, found \[1\]"),
        ({1: {}}, "plan.yaml: warmup: the key 1 is no word to YAML. Put it in quotes"),
        ({"w": [1]}, r"plan.yaml: warmup.w: expected options by name, found \[1\]"),
    ],
)
def test_a_stage_that_is_not_options_by_key_is_refused(stage: object, message: str):
    with pytest.raises(UserError, match=message):
        Plan(Path("plan.yaml"), "demo", {"warmup": stage}).entry("warmup", "w", Strict)


def test_a_stage_that_is_not_there_has_no_entry():
    with pytest.raises(UserError, match=r"plan.yaml: warmup: no entry 'w'. There is none."):
        Plan(Path("plan.yaml"), "demo", {}).entry("warmup", "w", Strict)
