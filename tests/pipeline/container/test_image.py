"""Without the image Snakemake says how to get it; with one, GPUs are passed through where there is a driver."""

import os
from pathlib import Path
from typing import Any

import pytest

from protofair.plan import devices
from protofair.plan.container import ready_container


def test_without_the_image_snakemake_says_in_one_line_how_to_get_it(workspace: Any):
    done = workspace.snakemake("--use-singularity", check=False)
    assert done.returncode == 1
    (line,) = (line for line in (done.stdout + done.stderr).strip().splitlines() if "profiles/default" not in line)
    assert line.endswith("docker/protofair.sif, which is not there. Build it: make image")
    assert not (workspace.path / "data").exists()


def test_without_the_flag_nobody_needs_the_image(workspace: Any):
    assert workspace.to_do()


@pytest.mark.parametrize("driver", [True, False])
def test_gpus_are_passed_through_only_where_there_is_a_driver(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, driver: bool
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("APPTAINER_NV", raising=False)
    monkeypatch.setattr(devices, "DRIVER", tmp_path / "version")
    (tmp_path / "docker").mkdir()
    (tmp_path / "docker/protofair.sif").touch()
    if driver:
        (tmp_path / "version").touch()
    ready_container()
    assert os.environ.pop("APPTAINER_NV", None) == ("1" if driver else None)
