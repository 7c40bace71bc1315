"""Tiny packed sets, the plan entries to train on them, and processes that really can be killed."""

import hashlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
import yaml

from protofair.baselines.stage import run_baseline
from protofair.core.entries import Plan
from protofair.core.packed import Packed
from protofair.train.config import Fair, Warmup
from protofair.train.phases import run_fair, run_warmup
from protofair.train.stage import Options

SIZE = 8


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.use_deterministic_algorithms(False)
    torch.set_num_threads(threads)


def write_packed(path: Path, *, n: int = 24, channels: int = 3, seed: int = 0) -> Packed:
    """n training images of noise, brighter where `Smiling`, redder where `Male`; 8 each for validation and test."""
    rng = np.random.default_rng(seed)
    total = n + 16
    smiling, male = rng.integers(0, 2, total), rng.integers(0, 2, total)
    images = rng.integers(0, 120, (total, SIZE, SIZE, channels))
    images += 60 * smiling[:, None, None, None]
    images[..., 0] += 60 * male[:, None, None]
    path.mkdir(parents=True)
    np.save(path / "images.npy", images.astype(np.uint8))
    split = rng.permutation(["train"] * n + ["val"] * 8 + ["test"] * 8)  # mixed: train is not just the first n rows
    names = [f"{i:06d}.jpg" for i in range(total)]
    ages = rng.integers(1, 90, total)
    labels = {"id": names, "split": split, "Smiling": smiling, "Male": male, "Same": 1, "age": ages}
    pd.DataFrame(labels).to_csv(path / "labels.csv", index=False)
    (path / "manifest.json").write_text(json.dumps({"dataset": "noise", "seed": seed, "n": n, "channels": channels}))
    return Packed.open(path)


@dataclass
class Project:
    """A folder with a packed set and a plan, in which the training stages run."""

    path: Path
    packed: Packed
    plan: dict[str, Any] = field(default_factory=lambda: {"suite": "tiny", "warmup": {}, "fair": {}, "baseline": {}})

    @classmethod
    def make(cls, path: Path, **packed: Any) -> "Project":
        return cls(path, write_packed(path / "data" / "packed" / "noise", **packed))

    def warmup_entry(self, **changes: Any) -> dict[str, Any]:
        """Three epochs of three steps, in about a second."""
        entry: dict[str, Any] = {
            "data": "noise",
            "objective": {"name": "supcon", "target": "Smiling"},
            "encoder": {"name": "resnet-tiny"},
            "optimiser": {"lr": 0.05, "batch_size": 8},
            "epochs": 3,
            "keep": [1, 3],
        }
        return entry | changes

    def fair_entry(self, **changes: Any) -> dict[str, Any]:
        """Its continuation from epoch 1, for two epochs."""
        entry: dict[str, Any] = {
            "warmup": "w",
            "from_epoch": 1,
            "epochs": 2,
            "sensitive": "Male",
            "num_prototypes": 3,
            "queue_batches": 2,
            "reinit_every": 1,
        }
        return entry | changes

    def baseline_entry(self, method: str, /, **changes: Any) -> dict[str, Any]:
        """Three epochs of a method, of which FD-VAE's classifier takes the last."""
        options = {"fd-vae": {"discriminator_width": 16, "classifier_epochs": 1}}.get(method, {})
        entry = self.warmup_entry() | {
            "method": {"name": method, "target": "Smiling", "sensitive": "Male", **options},
            "encoder": {"name": "fd-vae-small" if method == "fd-vae" else "resnet-tiny"},
            "optimiser": {"lr": 1e-3 if method == "fd-vae" else 0.05, "batch_size": 8},
        }
        if method == "mfd":
            entry["teacher"] = "ce"
        return {name: value for name, value in entry.items() if name not in ("objective", "keep")} | changes

    def warmup_config(self, **changes: Any) -> Warmup:
        return Warmup.model_validate(self.warmup_entry(**changes))

    def fair_config(self, **changes: Any) -> Fair:
        return Fair.model_validate(self.fair_entry(**changes))

    def plan_path(self) -> Path:
        (self.path / "plan.yaml").write_text(yaml.safe_dump(self.plan))
        return Path("plan.yaml")

    def warmup(self, key: str = "w", options: Options = Options(), **changes: Any) -> Path:  # noqa: B008 - frozen
        """Train a warm-up in this process; returns its outputs."""
        self.plan["warmup"][key] = self.warmup_entry(**changes)
        return run_warmup(Plan.read(self.plan_path()), key, options)

    def fair(self, key: str = "f", options: Options = Options(), **changes: Any) -> Path:  # noqa: B008 - frozen
        self.plan["fair"][key] = self.fair_entry(**changes)
        return run_fair(Plan.read(self.plan_path()), key, options)

    def baseline(self, method: str, /, key: str = "b", **changes: Any) -> Path:
        self.plan["baseline"][key] = self.baseline_entry(method, **changes)
        return run_baseline(Plan.read(self.plan_path()), key, Options())

    def log(self, folder: Path) -> list[dict[str, Any]]:
        """The log of a run without what depends on the machine."""
        lines = [json.loads(line) for line in (self.path / folder / "log.jsonl").read_text().splitlines()]
        return [{k: v for k, v in line.items() if k not in ("seconds", "images_per_second")} for line in lines]

    def checkpoint(self, folder: Path, epoch: int) -> dict[str, Any]:
        path = self.path / folder / "checkpoints" / f"epoch-{epoch:03d}.pt"
        content: dict[str, Any] = torch.load(path, weights_only=True)
        return content

    def outputs(self, folder: Path) -> dict[str, str]:
        """The checkpoints' hashes by file name."""
        files = sorted((self.path / folder / "checkpoints").iterdir())
        return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}

    def states(self) -> list[Path]:
        """The folders of runs that have not ended."""
        return sorted(self.path.glob(".cache/checkpoints/*"))


@pytest.fixture(scope="session")
def make_project() -> Callable[..., Project]:
    return Project.make


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.chdir(tmp_path)
    return Project.make(tmp_path)


@pytest.fixture(scope="session")
def _warm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose warm-up `w` is trained."""
    path = tmp_path_factory.mktemp("warm")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(path)
        Project.make(path).warmup()
    return path


@pytest.fixture
def warm_project(_warm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A copy of it, to train fair phases in."""
    shutil.copytree(_warm, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    project = Project(tmp_path, Packed.open(tmp_path / "data" / "packed" / "noise"))
    project.plan["warmup"]["w"] = project.warmup_entry()
    project.plan_path()
    return project


@pytest.fixture
def packed(project: Project) -> Packed:
    return project.packed


# Imports once, then forks for every run: importing torch takes longer than the runs do.
FORKER = """
import json, os, sys
import protofair.cli, protofair.train.phases
for line in sys.stdin:
    request = json.loads(line)
    process = os.fork()
    if process == 0:
        os.chdir(request["folder"])
        os.dup2(os.open("stderr", os.O_CREAT | os.O_WRONLY | os.O_APPEND), 2)
        os.dup2(2, 1)
        protofair.cli.main(request["arguments"])
    print(process, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)
"""


class Processes:
    """Runs `protofair` in processes of its own."""

    def __init__(self, server: subprocess.Popen[bytes]) -> None:
        self._server = server

    def run(
        self,
        folder: Path,
        *arguments: str,
        kill_when: Callable[[], bool] | None = None,
        number: signal.Signals = signal.SIGKILL,
    ) -> int:
        """Start one, send it a signal as soon as `kill_when` says so, and return its exit code."""
        requests, answers = self._server.stdin, self._server.stdout
        assert requests is not None
        assert answers is not None
        requests.write(json.dumps({"folder": str(folder), "arguments": arguments}).encode() + b"\n")
        process = int(answers.readline())
        while kill_when is not None and not select.select([answers], [], [], 0.002)[0]:
            if kill_when():
                os.kill(process, number)
                break
        return int(answers.readline())


@pytest.fixture(scope="session")
def processes() -> Iterator[Processes]:
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", FORKER], stdin=pipe, stdout=pipe, bufsize=0, env=environment
    ) as server:
        yield Processes(server)
        assert server.stdin is not None
        server.stdin.close()
