"""`protofair select`: of trainings that differ in one weight, the one that does best on the validation images.

Into results/<suite>/select/<key>/ go
  checkpoints/  the chosen one's checkpoint, for a probe of its own: the test images have no say in the choice
  choice.json   what was chosen, and the score of each
"""

import hashlib
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
    scores, checkpoints = zip(*(_measured(plan, candidate, config) for candidate in config.candidates), strict=True)
    best = scores.index(max(scores))  # the first of equals
    chosen, folder = config.candidates[best], plan.folder("select", key)
    shutil.rmtree(folder / "checkpoints", ignore_errors=True)
    with replacing(folder / "checkpoints" / f"epoch-{chosen.checkpoint.epoch:03d}.pt") as copy:
        copy.write(checkpoints[best])
    candidates = [
        {"weight": candidate.weight, "probe": candidate.probe, "score": score}
        for candidate, score in zip(config.candidates, scores, strict=True)
    ]
    choice = {"weight": chosen.weight, "probe": chosen.probe, "rule": RULE, "candidates": candidates}
    write_json(folder / "choice.json", choice)
    return choice


def _measured(plan: Plan, candidate: Candidate, config: SelectConfig) -> tuple[float, bytes]:
    """A candidate's score, and the checkpoint that it is the score of."""
    kept = candidate.checkpoint
    source = plan.folder(kept.stage, kept.key) / "checkpoints" / f"epoch-{kept.epoch:03d}.pt"
    if not source.is_file():
        raise UserError(f"{source}: no such checkpoint. Train it: protofair {kept.stage} {kept.key}")
    content = source.read_bytes()
    path = plan.folder("probe", candidate.probe) / "metrics.json"
    again = f"Measure it: protofair probe {candidate.probe}"
    try:
        metrics = json.loads(path.read_text(encoding="utf-8"))
        measured = metrics["inputs"].get(source.as_posix())
        task = next(t for t in metrics["tasks"] if (t["target"], t["sensitive"]) == (config.target, config.sensitive))
        score = _score(task["val"]) if "val" in task else None
    except FileNotFoundError:
        raise UserError(f"{path}: no such file. {again}") from None
    except StopIteration:
        raise UserError(f"{path}: has no task {config.target}/{config.sensitive}. {again}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UserError(f"{path}: not the metrics of a probe. {again}") from None
    if measured != hashlib.sha256(content).hexdigest():
        raise UserError(f"{path}: not measured on {source} as it is now. {again}")
    if score is None:
        raise UserError(f"{path}: no validation images to choose on. Give the row one 'adversary.weight'.")
    return score, content


def _score(validation: dict[str, Any]) -> float:
    """By `RULE`; below every other where it is undefined."""
    measured = validation.get("own", validation)
    accuracy, odds = (measured[name]["value"] for name in ("balanced_accuracy", "equalized_odds"))
    known = accuracy is not None and odds is not None and math.isfinite(accuracy - odds)
    return round(accuracy - odds, 6) if known else UNDEFINED
