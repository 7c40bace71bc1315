"""`make image`, then `snakemake --use-singularity`, as a user types them."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def image(base: Any, needs: Callable[..., None], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """docker/protofair.sif, without CUDA, built by the Makefile from the recipe; its %test has passed."""
    needs("apptainer", "make")
    folder = tmp_path_factory.mktemp("image")
    shutil.copy2(ROOT / "Makefile", folder)
    shutil.copytree(ROOT / "docker", folder / "docker", ignore=shutil.ignore_patterns("*.sif"))
    build = {
        "APPTAINER_BIND": f"{base.wheels}:/opt/wheels:ro",
        "APPTAINER_TMPDIR": str(folder),
        "APPTAINER_MKSQUASHFS_ARGS": "-comp zstd -Xcompression-level 1",  # a larger file, in a tenth of the time
    }
    command = ["make", "image", "TORCH=cpu", "BOOTSTRAP=localimage", f"BASE={base.root}"]
    done = subprocess.run(command, cwd=folder, env=os.environ | build, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "a training step on cpu works" in done.stdout + done.stderr
    return folder / "docker/protofair.sif"


@pytest.fixture
def without_dvc(tmp_path: Path) -> str:
    """A search path on which this machine's DVC fails, so that only the container's can have done the work."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/dvc").write_text("#!/bin/sh\necho 'not in the container' >&2\nexit 9\n")
    (tmp_path / "bin/dvc").chmod(0o755)
    return str(tmp_path / "bin")


def test_snakemake_runs_the_plan_in_the_container_to_the_report(image: Path, workspace: Any, without_dvc: str):
    os.link(image, workspace.path / "docker/protofair.sif")
    outside = workspace.environment["PATH"]
    workspace.environment["PATH"] = f"{without_dvc}:{outside}"
    assert workspace.run("dvc", "--version", check=False).returncode == 9
    workspace.snakemake("--use-singularity")
    assert workspace.read("results/tiny/report.html").startswith(b"<!doctype html>")
    assert "Nothing to be done" in workspace.snakemake("--use-singularity", "--dry-run").stdout
    workspace.environment["PATH"] = outside
    assert workspace.stale() == set()


def test_the_image_holds_none_of_the_packages_it_was_built_from(image: Path):
    assert inside(image, "ls", "-A", "/opt/wheels") == ""


def test_torch_is_not_compiled_anew_by_every_job(image: Path):
    """Bytecode is taken if it bears the time of its source."""
    source, bytecode = inside(image, "python", "-c", "import torch; print(torch.__file__, torch.__cached__)").split()
    noted = inside(image, "od", "--address-radix=n", "--format=u4", "--skip-bytes=8", "--read-bytes=4", bytecode)
    assert noted.strip() == inside(image, "stat", "--format=%Y", source).strip()


def inside(image: Path, *command: str) -> str:
    started = ["apptainer", "exec", str(image), *command]
    return subprocess.run(started, capture_output=True, text=True, check=True).stdout
