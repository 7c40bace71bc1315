"""Where the numbers come from: code, plan, container, data, versions, hardware, time."""

import hashlib
import json
import subprocess
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path

from protofair.core.atomic import write_json
from protofair.plan.plan import Entry, Plan
from protofair.report.data_cards import read_cards
from protofair.report.files import UNREADABLE, read_json, why
from protofair.report.model import Provenance, StageCost

RUN_STAGES = ("warmup", "fair", "baseline", "probe", "tsne")
CONTAINER = Path("docker/protofair.sif")
DIGESTS = Path(".cache/report/digests.json")


@dataclass(frozen=True)
class Record:
    """What a run.json says."""

    seconds: float
    device: str  # the name of the GPU, or cpu
    machine: str
    versions: dict[str, str | None]
    finished: str | None

    @classmethod
    def parse(cls, content: Entry) -> "Record":
        hardware = content["hardware"]
        gpu = hardware["gpu"]
        machine = f"{hardware['cpu']}, {hardware['cores']} cores"
        return cls(
            float(content["wall_seconds"]),
            gpu or hardware["device"],
            f"{machine}, {gpu}" if gpu else machine,
            dict(content["versions"]),
            content.get("finished"),
        )


def read_provenance(plan: Plan, root: Path) -> tuple[Provenance, list[str]]:
    """The provenance, and what is wrong with the files it is read from."""
    runs, problems = _read_runs(plan, root)
    cards, damaged = read_cards(plan, root)
    records = [record for of_stage in runs.values() for record in of_stage]
    provenance = Provenance(
        commit=_commit(root),
        plan_hash=hashlib.sha256(json.dumps(asdict(plan), sort_keys=True).encode()).hexdigest(),
        container=_digest(root, CONTAINER),
        date=max((record.finished for record in records if record.finished), default=None),
        versions=_versions(records),
        hardware=tuple(sorted({record.machine for record in records})),
        stages=tuple(_cost(plan, stage, runs[stage]) for stage in RUN_STAGES),
        data=cards,
    )
    return provenance, [*problems, *damaged]


def _read_runs(plan: Plan, root: Path) -> tuple[dict[str, list[Record]], list[str]]:
    """The record of every run that is done, by stage."""
    runs: dict[str, list[Record]] = {stage: [] for stage in RUN_STAGES}
    problems = []
    for stage in RUN_STAGES:
        for key in getattr(plan, stage):
            path = Path("results", plan.suite, stage, key, "run.json")
            if not (root / path).exists():
                continue
            try:
                runs[stage].append(Record.parse(read_json(root / path)))
            except UNREADABLE as error:
                what = f"not a complete record ({why(error)})"
                problems.append(f"{path}: {what}. Run it again: dvc repro {stage}@{key}")
    return runs, problems


def _versions(records: list[Record]) -> dict[str, tuple[str, ...]]:
    found: dict[str, set[str]] = defaultdict(set)
    for record in records:
        for package, version in record.versions.items():
            if version:
                found[package].add(version)
    return {package: tuple(sorted(versions)) for package, versions in sorted(found.items())}


def _cost(plan: Plan, stage: str, records: list[Record]) -> StageCost:
    devices: dict[str, float] = defaultdict(float)
    for record in records:
        devices[record.device] += record.seconds / 3600
    seconds = sum(record.seconds for record in records)
    ends = sorted(record.finished for record in records if record.finished)
    return StageCost(
        stage,
        len(getattr(plan, stage)),
        len(records),
        seconds,
        dict(sorted(devices.items())),
        (ends[0], ends[-1]) if ends else None,
    )


def _commit(root: Path) -> str | None:
    """The commit, and whether the code differs from it; None outside a repository."""
    try:
        commit = _git(root, "rev-parse", "HEAD").stdout.strip()
        changed = _git(root, "diff", "--quiet", "HEAD", "--", "protofair", check=False).returncode
    except (OSError, subprocess.SubprocessError):
        return None
    return f"{commit} with changes" if changed else commit


def _git(root: Path, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", *arguments], cwd=root, check=check, capture_output=True, text=True, timeout=60)


def _digest(root: Path, path: Path) -> str | None:
    """SHA-256 of a file, remembered until its size or time changes: a container has gigabytes."""
    if not (root / path).is_file():
        return None
    status = (root / path).stat()
    stamp = f"{path} {status.st_size} {status.st_mtime_ns}"
    try:
        return f"sha256:{read_json(root / DIGESTS)[stamp]}"
    except UNREADABLE:
        with (root / path).open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        write_json(root / DIGESTS, {stamp: digest})
        return f"sha256:{digest}"
