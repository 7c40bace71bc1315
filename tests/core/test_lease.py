"""Processes that want a GPU get one each, wait for their turn, and let go of it even when they are killed."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch

from protofair.core import lease
from protofair.probe.features import choose_device
from protofair.train.device import training_device

HOLDER = (
    "import sys; from protofair.core.lease import lease; print(lease(int(sys.argv[1])), flush=True); sys.stdin.read()"
)
Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a process that takes a GPU, prints which, and holds it until its input ends."""
    started = []

    def one(count: int, **variables: str) -> subprocess.Popen[str]:
        without = {name: value for name, value in os.environ.items() if name != "CUDA_VISIBLE_DEVICES"}
        process = subprocess.Popen(
            [sys.executable, "-c", HOLDER, str(count)],
            env=without | {"TMPDIR": str(tmp_path)} | variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield one
    for process in started:
        process.kill()
        process.communicate()


def told(process: subprocess.Popen[str]) -> int:
    assert process.stdout
    return int(process.stdout.readline())


def test_each_process_has_a_gpu_of_its_own(start: Start):
    processes = [start(4) for _ in range(4)]
    assert sorted(told(process) for process in processes) == [0, 1, 2, 3]


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGKILL])
def test_the_next_waits_until_one_is_free_also_after_a_kill(start: Start, sent: signal.Signals):
    holders = {told(process): process for process in [start(2), start(2)]}
    waiting = start(2)
    assert waiting.stderr
    assert waiting.stderr.readline() == "protofair: 2 GPUs, all taken: waiting for one\n"
    holders[1].send_signal(sent)
    assert told(waiting) == 1


def test_a_gpu_counts_as_the_same_however_a_process_numbers_it(start: Start):
    assert told(start(2, CUDA_VISIBLE_DEVICES="2,3")) == 0
    assert told(start(4)) == 0
    assert told(start(4)) == 1
    assert told(start(2, CUDA_VISIBLE_DEVICES="2,3")) == 1


@pytest.fixture
def two_gpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[torch.device]:
    """A torch that believes in two GPUs; the list has those it was told to use."""
    chosen: list[torch.device] = []
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    monkeypatch.setattr("torch.cuda.device_count", lambda: 2)
    monkeypatch.setattr("torch.cuda.set_device", chosen.append)
    monkeypatch.setattr(lease, "LEASES", tmp_path / f"protofair-gpus-{os.getuid()}")
    monkeypatch.setattr(lease, "_held", {})
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    return chosen


@pytest.mark.parametrize("choose", [training_device, choose_device])
def test_training_and_probing_use_the_gpu_that_is_free(
    two_gpus: list[torch.device], start: Start, choose: Callable[[], torch.device]
):
    assert told(start(2)) == 0
    assert choose() == choose() == torch.device("cuda", 1)
    assert two_gpus == [torch.device("cuda", 1)] * 2


def test_a_single_gpu_is_not_leased(two_gpus: list[torch.device], start: Start, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("torch.cuda.device_count", lambda: 1)
    assert told(start(1)) == 0
    assert training_device() == torch.device("cuda", 0)
