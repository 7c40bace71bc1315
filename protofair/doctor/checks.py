"""The single checks. Each looks at one thing and never fails: what it finds is what it says."""

import importlib.util
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from protofair.core.errors import UserError
from protofair.plan.container import IMAGE
from protofair.plan.cost import disk_bytes
from protofair.plan.devices import gpus
from protofair.plan.plan import PLAN, Plan


@dataclass(frozen=True)
class Finding:
    """One line of the table; `remedy` says what to do where something is missing."""

    what: str
    state: Literal["ok", "missing", "note"]
    found: str
    remedy: str = ""


def findings() -> Iterator[Finding]:
    """Everything, in the order a person would ask."""
    checks: list[Callable[[], Iterator[Finding]]] = [_python, _torch, _gpu, _container, _plan, _dvc, _locks]
    for check in checks:
        yield from check()


def _python() -> Iterator[Finding]:
    yield Finding("Python", "ok", f"{platform.python_version()} ({sys.executable})")


def _torch() -> Iterator[Finding]:
    if importlib.util.find_spec("torch") is None:
        yield Finding("torch", "missing", "not installed", "make setup")
        return
    import torch

    built = f"built for CUDA {torch.version.cuda}" if torch.version.cuda else "built without CUDA"
    yield Finding("torch", "ok", f"{torch.__version__}, {built}, {torch.get_num_threads()} threads")
    if gpus() and not torch.cuda.is_available():
        remedy = "TORCH=cuda make clean setup" if torch.version.cuda is None else "update the NVIDIA driver"
        yield Finding("CUDA", "missing", "there is a GPU that torch cannot use", remedy)
    for index in range(torch.cuda.device_count()):
        device = torch.cuda.get_device_properties(index)
        yield Finding(f"GPU {index}", "ok", f"{device.name}, {device.total_memory / 2**30:.0f} GiB")


def _gpu() -> Iterator[Finding]:
    if gpus() == 0:
        remedy = "the demo and the mini suite run on the CPU; the paper's suite wants a GPU"
        yield Finding("GPU", "note", "none visible", remedy)
    else:
        yield Finding("NVIDIA driver", "ok", f"{gpus()} GPUs visible")


def _container() -> Iterator[Finding]:
    runtime = shutil.which("apptainer") or shutil.which("singularity")
    if runtime is None:
        remedy = "install Apptainer for --use-singularity; without that flag nothing needs it"
        yield Finding("container runtime", "note", "neither apptainer nor singularity", remedy)
    else:
        yield Finding("container runtime", "ok", _first_line([runtime, "--version"]))
    if IMAGE.is_file():
        yield Finding("container image", "ok", f"{IMAGE}, {IMAGE.stat().st_size / 1e9:.1f} GB")
    else:
        yield Finding("container image", "note", f"no {IMAGE}", "make image")


def _plan() -> Iterator[Finding]:
    try:
        plan = Plan.read()
    except UserError as error:
        yield Finding("plan", "missing", str(error), "protofair plan demo")
        return
    trainings = len(plan.warmup) + len(plan.fair) + len(plan.baseline)
    yield Finding("plan", "ok", f"{PLAN}: {plan.suite}, {trainings} trainings, {len(plan.probe)} probes")
    needed, free = disk_bytes(plan), shutil.disk_usage(".").free
    state: Literal["ok", "missing"] = "ok" if free > needed else "missing"
    found = f"{free / 1e9:.0f} GB free, the plan needs about {needed / 1e9:.1f} GB, data and cache included"
    yield Finding("disk", state, found, "" if state == "ok" else "free some space, or: dvc cache dir /large/disk")
    for key, entry in plan.acquire.items():
        if Path(f"data/acquired/{key}.json").is_file():
            yield Finding(f"data: {key}", "ok", f"data/acquired/{key}.json")
        elif entry["source"] == "toy":
            yield Finding(f"data: {key}", "ok", "drawn when it is needed")
        else:
            remedy = f"protofair acquire {key} --from-dir DIR, or without the option to fetch it"
            yield Finding(f"data: {key}", "missing", "not acquired", remedy)


def _dvc() -> Iterator[Finding]:
    if shutil.which("dvc") is None:
        yield Finding("DVC", "missing", "not on the path", "make setup, then: export PATH=$PWD/.venv/bin:$PATH")
        return
    remotes = _output(["dvc", "remote", "list"])
    if remotes:
        yield Finding("DVC remote", "ok", remotes.splitlines()[0])
    else:
        yield Finding("DVC remote", "note", "none", "to share results: dvc remote add --default NAME URL")


def _locks() -> Iterator[Finding]:
    held = Path(".snakemake/locks")
    if held.is_dir() and any(held.iterdir()):
        yield Finding("Snakemake lock", "note", "the folder is locked", "if nothing is running: snakemake --unlock")
    lock = Path(".dvc/tmp/rwlock")
    if lock.is_file() and lock.read_text(encoding="utf-8").strip() not in ("", "{}"):
        yield Finding("DVC lock", "note", f"{lock} lists users", f"if nothing is running: rm {lock}")
    leftovers = Path(".cache/checkpoints")
    if leftovers.is_dir() and any(leftovers.iterdir()):
        runs = len(list(leftovers.iterdir()))
        yield Finding("unfinished runs", "note", f"{runs} in {leftovers}", "they go on where they were when run again")


def _first_line(command: list[str]) -> str:
    return (_output(command) or "no answer").splitlines()[0]


def _output(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
    return done.stdout.strip() if done.returncode == 0 else ""
