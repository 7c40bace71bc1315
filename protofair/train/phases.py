"""The two stages: a warm-up from nothing, and a fair phase from a warm-up's checkpoint."""

from pathlib import Path
from typing import Any

from protofair.errors import UserError
from protofair.strict import parse
from protofair.train.config import Fair, Warmup, check_fits
from protofair.train.entries import Plan, packed_folder
from protofair.train.identity import file_hash
from protofair.train.networks import read_kept
from protofair.train.stage import Options, Start, train


def run_warmup(plan: Plan, key: str, options: Options) -> Path:
    """Train with the base objective alone; returns the folder of the outputs."""
    return train(plan, key, options, warmup=plan.entry("warmup", key, Warmup))


def run_fair(plan: Plan, key: str, options: Options) -> Path:
    """Continue a warm-up with base objective + weight x L_CF; returns the folder of the outputs."""
    fair, where = plan.entry("fair", key, Fair), plan.where("fair", key)
    planned = plan.entry("warmup", fair.warmup, Warmup) if plan.has("warmup", fair.warmup) else None
    if planned:
        check_fits(fair, planned, where=where)
    path = plan.folder("warmup", fair.warmup) / "checkpoints" / f"epoch-{fair.from_epoch:03d}.pt"
    again = f"Train it: protofair warmup {fair.warmup}"
    start, config = read_kept(path, remedy=again)
    warmup = parse(Warmup, config.get("warmup"), where=f"{path}: config")
    check_fits(fair, warmup, where=where)
    if planned:
        _check_same(planned, warmup, path, again)
    manifest = packed_folder(warmup.data) / "manifest.json"
    if manifest.exists() and config.get("manifest") != file_hash(manifest):
        raise UserError(f"{path}: trained on other data than {manifest.parent} holds now. {again}")
    if start["epoch"] != fair.from_epoch:
        raise UserError(f"{path}: holds epoch {start['epoch']}, not {fair.from_epoch}. {again}")
    return train(plan, key, options, warmup=warmup, fair=fair, start=Start(path, start))


def _check_same(planned: Warmup, trained: Warmup, path: Path, again: str) -> None:
    """Refuse a checkpoint of another configuration; which epochs were kept makes no difference."""
    left, right = (_flat(warmup.model_dump(mode="json", exclude={"keep"})) for warmup in (planned, trained))
    for name in sorted(left.keys() | right.keys()):
        if left.get(name) != right.get(name):
            raise UserError(
                f"{path}: trained with '{name}' = {right.get(name)!r}, but the plan says {left.get(name)!r}. {again}"
            )


def _flat(value: Any, name: str = "") -> dict[str, Any]:
    """Nested keys joined by dots."""
    if not isinstance(value, dict):
        return {name: value}
    leaves = (_flat(inner, f"{name}.{part}".strip(".")) for part, inner in value.items())
    return {name: leaf for found in leaves for name, leaf in found.items()}
