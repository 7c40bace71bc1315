"""Killed at its worst moment, the same command goes on where it was."""

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from typing import Any

import psutil
import pytest

FAIR = "results/tiny/fair/supcon-toy-celeba-16-big_nose-s0-male-k4-w0_3-2p60"

pytestmark = pytest.mark.slow


def family(pid: int) -> list[int]:
    """A process and everything it started, however it was detached."""
    listed = subprocess.run(["ps", "-e", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    children: dict[int, list[int]] = {}
    for line in listed.splitlines():
        child, parent = map(int, line.split())
        children.setdefault(parent, []).append(child)
    found = [pid]
    for member in found:
        found += children.get(member, [])
    return found


@pytest.mark.parametrize("command", [("snakemake", "--cores", "2"), ("dvc", "repro")], ids=["snakemake", "dvc"])
def test_killed_in_mid_run_the_same_command_goes_on(
    finished: Any, copy_of: Callable[[Any], Any], command: tuple[str, ...]
):
    workspace = copy_of(finished)
    for name in (".snakemake", "logs"):  # what Snakemake remembers of its own run; the times in its logs count too
        shutil.rmtree(workspace.path / name)
    workspace.change("params/tiny.yaml", "fair: {epochs: 1", "fair: {epochs: 60")
    workspace.plan()
    running = subprocess.Popen(
        command,
        cwd=workspace.path,
        env=workspace.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    saved = workspace.path / ".cache/checkpoints"
    deadline = time.monotonic() + 300
    while not list(saved.glob("*/last.state")) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert list(saved.glob("*/last.state")), "no checkpoint was saved in time"
    members = family(running.pid)
    for member in members:
        os.kill(member, signal.SIGKILL)
    running.wait()
    while any(map(psutil.pid_exists, members)):  # DVC takes an id that is still there for a process at work
        assert time.monotonic() < deadline, "killed processes are still there"
        time.sleep(0.1)
    assert not (workspace.path / FAIR / "run.json").exists()

    workspace.run(*command)
    assert json.loads(workspace.read(f"{FAIR}/run.json"))["resumed"]
    assert (workspace.path / "results/tiny/report.html").is_file()
    assert workspace.stale() == set()
    assert workspace.to_do() == set()
