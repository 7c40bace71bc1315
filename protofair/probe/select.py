"""`protofair select`: of trainings that differ in one weight, the one that does best on the validation images.

Into results/<suite>/select/<key>/ go
  checkpoints/  the chosen one's checkpoint, for a probe of its own: the test images have no say in the choice
  choice.json   what was chosen, and the score of each
"""

import json
import math
import shutil
from typing import Any

from protofair.core.atomic import replacing, write_json
from protofair.core.entries import Plan
from protofair.core.errors import UserError
from protofair.probe.config import Candidate, SelectConfig

RULE = "balanced accuracy minus equalized odds on the validation images, of the method's own classifier if it has one"
# No score is lower: balanced accuracy and equalized odds are per cent.
UNDEFINED = -1000.0


def run_select(plan: Plan, key: str) -> dict[str, Any]:
    """Choose; returns the content of choice.json."""
    config = plan.entry("select", key, SelectConfig)
    scores = {f"{candidate.weight:g}": _score(plan, candidate, config) for candidate in config.candidates}
    chosen = max(config.candidates, key=lambda candidate: scores[f"{candidate.weight:g}"])  # the first of equals
    name = f"epoch-{chosen.checkpoint.epoch:03d}.pt"
    source = plan.folder(chosen.checkpoint.stage, chosen.checkpoint.key) / "checkpoints" / name
    if not source.is_file():
        raise UserError(
            f"{source}: no such checkpoint. Train it: protofair {chosen.checkpoint.stage} {chosen.checkpoint.key}"
        )
    folder = plan.folder("select", key)
    shutil.rmtree(folder / "checkpoints", ignore_errors=True)
    with source.open("rb") as original, replacing(folder / "checkpoints" / name) as copy:
        shutil.copyfileobj(original, copy)
    choice = {"weight": chosen.weight, "probe": chosen.probe, "rule": RULE, "scores": scores}
    write_json(folder / "choice.json", choice)
    return choice


def _score(plan: Plan, candidate: Candidate, config: SelectConfig) -> float:
    """A candidate by `RULE`; below every other where it is undefined."""
    path = plan.folder("probe", candidate.probe) / "metrics.json"
    again = f"Measure it: protofair probe {candidate.probe}"
    try:
        tasks = json.loads(path.read_text(encoding="utf-8"))["tasks"]
        task = next(t for t in tasks if (t["target"], t["sensitive"]) == (config.target, config.sensitive))
    except FileNotFoundError:
        raise UserError(f"{path}: no such file. {again}") from None
    except (ValueError, KeyError, TypeError, StopIteration):
        raise UserError(f"{path}: has no task {config.target}/{config.sensitive}. {again}") from None
    if "val" not in task:
        raise UserError(f"{path}: no validation images to choose on. Give the row one 'adversary.weight'.")
    measured = task["val"].get("own", task["val"])
    accuracy, odds = (measured[name]["value"] for name in ("balanced_accuracy", "equalized_odds"))
    known = accuracy is not None and odds is not None and math.isfinite(accuracy - odds)
    return round(accuracy - odds, 6) if known else UNDEFINED
