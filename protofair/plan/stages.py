"""What a stage reads beside its data: its own code, and its own entry of the plan.

DVC declares the same in dvc.yaml. Snakemake compares times of files, so each entry of the plan gets a file of its own,
which is rewritten only when the entry changes: a changed parameter then re-runs just what depends on it.
"""

import os
from pathlib import Path

import yaml

from protofair.atomic import write_text
from protofair.plan.plan import PLAN, STAGES, Plan

_BASE = ["protofair/atomic.py", "protofair/errors.py", "protofair/strict.py"]
_TRAINING = [
    "protofair/method",
    "protofair/objectives",
    "protofair/train",
    "protofair/crop.py",
    "protofair/environment.py",
    "protofair/lease.py",
    "protofair/packed.py",
    "protofair/torchvision_ops.py",
    *_BASE,
    "docker/requirements.lock",
]
_MEASURING = [
    "protofair/objectives",
    "protofair/probe",
    "protofair/crop.py",
    "protofair/environment.py",
    "protofair/lease.py",
    "protofair/packed.py",
    "protofair/torchvision_ops.py",
    *_BASE,
    "docker/requirements.lock",
]
_REPORT = [
    *(
        f"protofair/{part}"
        for part in ("baselines", "data", "method", "objectives", "plan", "probe", "report", "train")
    ),
    "protofair/crop.py",
    "protofair/lease.py",
    "protofair/packed.py",
    "protofair/torchvision_ops.py",
    *_BASE,
    "params/plan.yaml",
    "params/reference.yaml",
]
CODE = {
    "acquire": ["protofair/data", *_BASE, "params/sources.yaml"],
    "prepare": ["protofair/data", "protofair/packed.py", *_BASE, "docker/requirements.lock"],
    "warmup": _TRAINING,
    "fair": _TRAINING,
    "baseline": ["protofair/baselines", *_TRAINING],
    "probe": _MEASURING,
    "tsne": _MEASURING,
    "report": _REPORT,
}


def code_files(stage: str, root: Path = Path()) -> list[str]:
    """The files of the stage's code."""
    files = []
    for name in CODE[stage]:
        path = root / name
        inside = [file for file in path.rglob("*") if file.is_file() and "__pycache__" not in file.parts]
        files += [path] if path.is_file() else inside
    return sorted(str(file.relative_to(root)) for file in files)


def entry_file(suite: str, stage: str, key: str = "{key}") -> str:
    """The file of one entry of the plan."""
    return f".cache/plan/{suite}/{stage}/{key}.yaml"


def write_entries(plan: Plan) -> None:
    """Bring the entries' files up to date; those whose content is right keep their time.

    A new one gets the plan's time, not today's: what DVC has made from this plan meanwhile is up to date.
    """
    written = PLAN.stat()
    for stage in STAGES:
        for key, entry in getattr(plan, stage).items():
            path, text = Path(entry_file(plan.suite, stage, key)), yaml.safe_dump(entry)
            if not path.is_file() or path.read_text(encoding="utf-8") != text:
                write_text(path, text)
                os.utime(path, ns=(written.st_atime_ns, written.st_mtime_ns))
