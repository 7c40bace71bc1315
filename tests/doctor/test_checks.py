"""The doctor says what is missing, with the remedy, and does not fall over on a bare machine."""

import json
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from protofair.doctor import checks
from protofair.doctor.command import doctor

PLAN = {
    "suite": "mini",
    "acquire": {"utkface": {"dataset": "utkface", "source": "official"}},
    "prepare": {"u": {"acquire": "utkface", "dataset": "utkface", "size": 32, "split": {"alpha": 4}}},
}


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "params").mkdir()
    (tmp_path / "params/plan.yaml").write_text(yaml.safe_dump(PLAN))
    return tmp_path


def found(what: str) -> checks.Finding:
    (finding,) = [finding for finding in checks.findings() if finding.what == what]
    return finding


def test_missing_data_names_the_command_that_brings_it(workspace: Path):
    assert found("data: utkface").state == "missing"
    assert "protofair acquire utkface" in found("data: utkface").remedy
    (workspace / "data/acquired").mkdir(parents=True)
    (workspace / "data/acquired/utkface.json").write_text(json.dumps({}))
    assert found("data: utkface").state == "ok"


def test_a_full_disk_is_missing_space(workspace: Path, monkeypatch: pytest.MonkeyPatch):
    assert found("disk").state == "ok"
    monkeypatch.setattr(checks, "disk_bytes", lambda plan: 1e18)
    assert found("disk").state == "missing"


def test_no_plan_is_said_with_the_command(workspace: Path):
    (workspace / "params/plan.yaml").unlink()
    assert found("plan").remedy == "protofair plan demo"


def test_locks_and_unfinished_runs_are_seen(workspace: Path):
    assert not [finding for finding in checks.findings() if "lock" in finding.what]
    (workspace / ".snakemake/locks").mkdir(parents=True)
    (workspace / ".snakemake/locks/0.input.lock").touch()
    (workspace / ".cache/checkpoints/abc").mkdir(parents=True)
    assert "snakemake --unlock" in found("Snakemake lock").remedy
    assert found("unfinished runs").found.startswith("1 in")


def test_a_gpu_that_torch_cannot_use_is_missing(workspace: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(checks, "gpus", lambda: 1)
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert found("CUDA").state == "missing"


def test_the_exit_code_says_whether_something_is_missing(workspace: Path):
    result = CliRunner().invoke(doctor)
    assert result.exit_code == 1
    assert "✗ data: utkface" in result.output
    assert "→ protofair acquire utkface" in result.output
