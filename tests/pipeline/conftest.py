"""A workspace of its own with a tiny plan: the real tools on the real stages, in seconds."""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
Once = Callable[[Path, Callable[[Path], None]], Path]
TINY = """
suite: tiny
title: A plan for tests
scale: tiny
controls: false
data:
  celeba: {dataset: celeba, size: 16, source: toy, toy: {images: 400}}
training:
  encoder: {name: resnet-tiny}
  optimiser: {lr: 0.05, batch_size: 64, ramp_epochs: 1}
  epochs: 2
fair: {epochs: 1, weight: 0.3, num_prototypes: 4, lr: {mode: constant, value: 0.01}}
probe: {epochs: 2, bootstrap: 50}
tables:
  table1:
    data: celeba
    columns: {"T:b, S:m": {target: Big_Nose, sensitive: Male}}
    rows:
      - {name: SupCon, objective: supcon}
      - {name: SupCon + ProtoFair, objective: supcon, fair: {}}
"""


class Workspace:
    """A copy of the project in which commands run with this environment's tools."""

    def __init__(self, path: Path) -> None:
        self.path = path
        tools = str(Path(sys.executable).parent)
        self.environment = os.environ | {
            "PATH": f"{tools}:{os.environ['PATH']}",
            "PYTHONPATH": str(path),
            "OMP_NUM_THREADS": "1",
            "DVC_NO_ANALYTICS": "1",
        }

    def run(self, *command: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            command, cwd=self.path, env=self.environment, capture_output=True, text=True, check=False, timeout=900
        )
        assert not check or done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        return done

    def commit(self) -> None:
        identity = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
        self.run("git", "add", "--all")
        self.run("git", *identity, "commit", "--quiet", "--message", "all of it")

    def plan(self, suite: str = "tiny", *options: str) -> None:
        self.run("python", "-m", "protofair", "plan", suite, *options)

    def change(self, name: str, old: str, new: str) -> None:
        path = self.path / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    def snakemake(self, *options: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        return self.run("snakemake", "--cores", "2", *options, check=check)

    def to_do(self) -> set[str]:
        """The stages Snakemake would run, as DVC calls them."""
        done = self.snakemake("--dry-run", "--printshellcmds")
        lines = (done.stdout + done.stderr).splitlines()
        return {line.split("--single-item ")[1].split()[0] for line in lines if "--single-item " in line}

    def stale(self) -> set[str]:
        """The stages DVC would run, by its own status; what follows from them is not listed."""
        lines = self.run("dvc", "status").stdout.splitlines()
        return {line.rstrip(":") for line in lines if line and not line[0].isspace() and line.endswith(":")}

    def read(self, name: str) -> bytes:
        return (self.path / name).read_bytes()


def copy_project(path: Path) -> Workspace:
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    for name in names:
        if (ROOT / name).is_file():
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, path / name)
    (path / "params/tiny.yaml").write_text(TINY, encoding="utf-8")
    workspace = Workspace(path)
    workspace.run("git", "init", "--quiet", ".")
    workspace.commit()
    return workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A fresh copy of the project with the tiny plan active, nothing run."""
    made = copy_project(tmp_path / "project")
    made.plan()
    return made


@pytest.fixture(scope="session")
def once() -> Once:
    """A folder that more than one worker wants: made by the first, awaited by the others, never half made."""

    def get(folder: Path, make: Callable[[Path], None]) -> Path:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with folder.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.is_dir():
                part = folder.with_suffix(".part")
                shutil.rmtree(part, ignore_errors=True)
                make(part)
                part.rename(folder)
        return folder

    return get


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory, once: Once) -> Workspace:
    """The tiny plan run to its end by Snakemake. Tests must not change it: `copy_of` makes one to change."""

    def make(path: Path) -> None:
        made = copy_project(path)
        made.plan()
        made.snakemake()

    ours = tmp_path_factory.mktemp("finished")
    everyones = ours.parents[1] if "PYTEST_XDIST_WORKER" in os.environ else ours
    shutil.copytree(once(everyones / "tiny", make), ours / "project", symlinks=True)
    return Workspace(ours / "project")


@pytest.fixture
def copy_of(tmp_path: Path) -> Callable[[Workspace], Workspace]:
    """A copy of a finished workspace, cache and times of files included."""

    def copy(original: Workspace) -> Workspace:
        shutil.copytree(original.path, tmp_path / "project", symlinks=True)
        return Workspace(tmp_path / "project")

    return copy


@pytest.fixture
def clone_of(tmp_path: Path) -> Callable[[Workspace], Workspace]:
    """What a colleague gets of a workspace: what Git has of it, without the cache."""

    def clone(original: Workspace) -> Workspace:
        original.commit()
        original.run("git", "clone", "--quiet", str(original.path), str(tmp_path / "clone"))
        return Workspace(tmp_path / "clone")

    return clone
