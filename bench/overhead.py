"""Seconds a job costs beside its work, and seconds to find out that there is nothing to do on the paper's plan.

python -m bench.overhead

Measured on a clone of the last commit. A job's cost is what it adds to the wall clock on two cores: process start,
imports, DVC and Snakemake. The paper's plan is made done by writing small files where its results belong, which
DVC commits and Snakemake touches, as after a pull.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from bench.table import Row, at_most, show

ROOT = Path(__file__).parents[1]
CORES, TARGET_JOB, TARGET_NOTHING = 2, 4.0, 15.0


def main() -> list[Row]:
    with TemporaryDirectory() as folder:
        subprocess.run(["git", "clone", "--quiet", str(ROOT), folder], check=True)
        work = Path(folder)
        return [_a_job(work), *_nothing_to_do(work)]


def _a_job(work: Path) -> Row:
    """The fair runs and probes of the demo's ablation, after the warm-up they share."""
    _run(work, "python", "-m", "protofair", "plan", "demo", "--only", "ablation")
    _run(work, "snakemake", "--cores", str(CORES), "--until", "warmup")
    seconds = _run(work, "snakemake", "--cores", str(CORES), "--until", "probe")
    runs = [*work.glob("results/demo/fair/*/run.json"), *work.glob("results/demo/probe/*/run.json")]
    worked = sum(json.loads(run.read_text(encoding="utf-8"))["wall_seconds"] for run in runs)
    each = (seconds - worked / CORES) / len(runs)
    return at_most(f"overhead: a job beside its work, {len(runs)} jobs on {CORES} cores", each, TARGET_JOB, " s")


def _nothing_to_do(work: Path) -> list[Row]:
    _run(work, "python", "-m", "protofair", "plan", "paper")
    _pretend(work)
    _run(work, "dvc", "commit", "--force", "--quiet")
    _run(work, "snakemake", "--cores", str(CORES), "--touch")
    _run(work, "dvc", "status")  # notes the new times, as the first command after a pull does
    rows = []
    for command, says in (
        (("dvc", "repro"), "Data and pipelines are up to date."),
        (("snakemake", "--cores", str(CORES)), "Nothing to be done"),
    ):
        what = f"overhead: {' '.join(command)} with nothing to do on the paper's plan"
        rows.append(at_most(what, _run(work, *command, says=says), TARGET_NOTHING, " s"))
    return rows


def _pretend(work: Path) -> None:
    """A small file for everything the paper's plan would write."""
    plan = yaml.safe_load((work / "params/plan.yaml").read_text(encoding="utf-8"))
    stages: dict[str, Any] = yaml.safe_load((work / "dvc.yaml").read_text(encoding="utf-8"))["stages"]
    for stage, content in stages.items():
        made = content.get("do", content)
        for key in plan.get(stage, {}) if "do" in content else [""]:
            for out in [*made["outs"], *made.get("metrics", [])]:
                path = work / Template(out).substitute(key=key, suite=plan["suite"])
                path = path if path.suffix else path / "manifest.json"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(json.dumps({"stage": stage, "key": key}), encoding="utf-8")


def _run(work: Path, *command: str, says: str = "") -> float:
    """Seconds of a command in the clone, with this environment's tools; it has to succeed and to say something."""
    tools = Path(sys.executable).parent
    environment = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}", "PYTHONPATH": str(work)}
    start = time.perf_counter()
    done = subprocess.run(command, cwd=work, env=environment, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - start
    if done.returncode != 0 or says not in done.stdout + done.stderr:
        raise RuntimeError(f"{' '.join(command)}: {done.stdout[-500:]} {done.stderr[-500:]}")
    return seconds


if __name__ == "__main__":
    print(show(main()))
