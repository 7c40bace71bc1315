"""Whether a checkpoint is the one that the plan describes."""

from collections.abc import Iterator
from typing import Any

from protofair.core.entries import Plan

# Which epochs stay on disk, and what is stated for whoever lists a stage's inputs, makes no difference to a training.
IRRELEVANT = {"warmup.keep", "fair.data", "baseline.needs"}


def differences(plan: Plan, stage: str, key: str, trained: dict[str, Any]) -> Iterator[str]:
    """What the plan says about a training other than what `trained`, a checkpoint's configuration, says of itself.

    What the plan states is compared with all of that, and what it leaves to its default with what the training has set:
    defaults are not known here. A part without an entry in the plan was trained by hand.
    """
    if stage == "select":  # chose a training of the plan, whose checkpoint was compared when it was measured
        return
    if key not in plan.entries(stage):
        return
    entry = plan.entries(stage)[key] or {}
    before = entry.get("warmup") or entry.get("teacher")
    if before:
        yield from differences(plan, "warmup", before, trained)
    yield from _differences(entry, trained.get(stage), stage)
    yield from _unsaid(trained.get("set", {}).get(stage, {}), entry, stage)


def _differences(planned: Any, trained: Any, name: str) -> Iterator[str]:
    if isinstance(planned, dict) and isinstance(trained, dict):
        for part in planned:
            if f"{name}.{part}" not in IRRELEVANT:
                yield from _differences(planned[part], trained.get(part), f"{name}.{part}")
    elif not _same(planned, trained):
        yield f"'{name}' is {trained!r}, the plan says {planned!r}"


def _unsaid(trained: dict[str, Any], planned: dict[str, Any], name: str) -> Iterator[str]:
    for part in trained:
        if f"{name}.{part}" in IRRELEVANT:
            continue
        if part not in planned:
            yield f"'{name}.{part}' is {trained[part]!r}, the plan leaves it at its default"
        elif isinstance(trained[part], dict) and isinstance(planned[part], dict):
            yield from _unsaid(trained[part], planned[part], f"{name}.{part}")


def _same(planned: Any, trained: Any) -> bool:
    """Equal, or the same number: to YAML 1e-4 is a word."""
    if isinstance(planned, list) and isinstance(trained, list) and len(planned) == len(trained):
        return all(map(_same, planned, trained))
    try:
        return planned == trained or float(planned) == float(trained)
    except (TypeError, ValueError):
        return False
