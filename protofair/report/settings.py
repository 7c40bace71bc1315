"""Entries of the plan with every default filled in, as the stages themselves read them."""

from typing import Any

from protofair.baselines.config import Baseline
from protofair.core.strict import Strict, parse
from protofair.data.prepare.config import Prepare
from protofair.plan.plan import Entry, Plan
from protofair.probe.config import ProbeConfig, TsneConfig
from protofair.train.config import Fair, Warmup

MODELS: dict[str, type[Strict]] = {
    "prepare": Prepare,
    "warmup": Warmup,
    "fair": Fair,
    "baseline": Baseline,
    "probe": ProbeConfig,
    "tsne": TsneConfig,
}


def resolved(plan: Plan, stage: str, key: str) -> Entry:
    """An entry as plain values; one of a stage without options of its own is as the plan has it."""
    entry: Entry = getattr(plan, stage)[key]
    if stage not in MODELS:
        return entry
    return parse(MODELS[stage], entry, where=f"{stage}.{key}").model_dump(mode="json")


def flat(value: Any, name: str = "") -> Entry:
    """Nested keys joined by dots."""
    if not isinstance(value, dict):
        return {name: value}
    leaves: Entry = {}
    for part, inner in value.items():
        leaves |= flat(inner, f"{name}.{part}".lstrip("."))
    return leaves
