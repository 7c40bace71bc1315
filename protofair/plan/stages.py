"""What a stage reads beside its data: its own code, and its own entry of the plan.

DVC declares the same in dvc.yaml. Snakemake compares times of files, so each entry of the plan gets a file of its own,
and so do the hashes of each stage's code. They are rewritten only when their content changes: a changed parameter or
module then re-runs just what depends on it, and the scheduler has two files a job to look at instead of a hundred.
"""

import hashlib
import os
from pathlib import Path

from protofair.core.atomic import write_text
from protofair.plan.plan import LINES, PLAN, STAGES, Plan, line

_LOCK = "docker/requirements.lock"


def _folders(*names: str) -> list[str]:
    return [f"protofair/{name}" for name in ("core", *names)]


_TRAINING = [*_folders("method", "objectives", "train"), _LOCK]
_MEASURING = [*_folders("objectives", "probe"), _LOCK]
CODE = {
    "acquire": [*_folders("data"), "params/sources.yaml"],
    "prepare": [*_folders("data"), _LOCK],
    "warmup": _TRAINING,
    "fair": _TRAINING,
    "baseline": ["protofair/baselines", *_TRAINING],
    "select": _MEASURING,
    "probe": _MEASURING,
    "tsne": _MEASURING,
    "report": [
        *_folders("baselines", "data", "method", "objectives", "plan", "probe", "report", "train"),
        "params/plan.yaml",
        "params/reference.yaml",
    ],
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


def code_hashes(stage: str) -> str:
    """The file of the hashes of a stage's code."""
    return f".cache/plan/code/{stage}.sha256"


def write_entries(plan: Plan) -> None:
    """Bring the files above up to date; those whose content is right keep their time.

    A new one gets the time of what it was made from, not today's: what DVC has made from that meanwhile is up to date.
    """
    _in_step(plan)
    for stage in STAGES:
        for key, entry in getattr(plan, stage).items():
            _keep(Path(entry_file(plan.suite, stage, key)), line(entry), [PLAN])
    for stage in CODE:
        files = [Path(name) for name in code_files(stage)]
        lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file}\n" for file in files]
        _keep(Path(code_hashes(stage)), "".join(lines), files)


def _in_step(plan: Plan) -> None:
    """Refuse a plan that was changed by hand: DVC, which compares its lines, would go on with the old one."""
    if not LINES.is_file() or LINES.read_text(encoding="utf-8") != plan.lines():
        # Not a UserError: Snakemake would show that with the lines of code it comes from.
        raise SystemExit(f"protofair: {LINES} does not say what {PLAN} does. Write both anew: {plan.command}")


def _keep(path: Path, text: str, sources: list[Path]) -> None:
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        write_text(path, text)
        newest = max(source.stat().st_mtime_ns for source in sources)
        os.utime(path, ns=(newest, newest))
