"""The logs of the trainings: losses, rates and clusters, epoch by epoch."""

import json
from pathlib import Path
from typing import Any

import pandas as pd

from protofair.plan.plan import Plan
from protofair.report.files import UNREADABLE, why
from protofair.report.model import Curve
from protofair.report.settings import flat


def read_curves(plan: Plan, root: Path) -> tuple[dict[str, Curve], list[str]]:
    """The logs there are, by stage@key, and what is wrong with the others."""
    curves, problems = {}, []
    for stage in ("warmup", "fair", "baseline"):
        for key in getattr(plan, stage):
            path = Path("results", plan.suite, stage, key, "log.jsonl")
            if not (root / path).exists():
                continue
            try:
                lines = (root / path).read_text(encoding="utf-8").splitlines()
                curves[f"{stage}@{key}"] = _curve(stage, key, [json.loads(line) for line in lines])
            except UNREADABLE as error:
                problems.append(f"{path}: not a complete log ({why(error)}). Run it again: dvc repro {stage}@{key}")
    return curves, problems


def _curve(stage: str, key: str, records: list[dict[str, Any]]) -> Curve:
    frame = pd.DataFrame([_numbers(record) for record in records])
    if "epoch" not in frame:
        raise ValueError("no epoch in it")
    clusters = records[-1].get("clusters")
    return Curve(stage, key, frame, _occupancy(clusters) if clusters else None)


def _numbers(record: dict[str, Any]) -> dict[str, float]:
    return {name: value for name, value in flat(record).items() if isinstance(value, int | float)}


def _occupancy(clusters: dict[str, Any]) -> pd.DataFrame:
    """How large each cluster is and of which groups, in shares of all samples."""
    rows = [
        {"cluster": cluster, "group": group, "share": size * share}
        for cluster, (size, shares) in enumerate(zip(clusters["occupancy"], clusters["group_shares"], strict=True))
        for group, share in enumerate(shares)
    ]
    return pd.DataFrame(rows, columns=["cluster", "group", "share"])
