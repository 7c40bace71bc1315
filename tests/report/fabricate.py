"""Results that were never computed: every file a suite would leave, in the real formats, with plausible numbers.

The numbers are the paper's where it has some: `effect` is the share of the paper's change that the ProtoFair runs show,
`control` the share that equal training alone brings. Rates are met exactly, so that the numbers are as wanted at any
number of test images. Everything follows from the names of the runs.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protofair.plan.plan import Entry, Plan
from protofair.probe.evaluate import Answers, evaluate
from protofair.report.reference import Reference
from protofair.report.settings import resolved

PREVALENCE = {"Attractive": 0.5, "Big_Nose": 0.21, "Bags_Under_Eyes": 0.2, "gender": 0.5, "Pneumothorax": 0.104}
GROUP = {"Male": 0.4, "Young": 0.7, "white": 0.5, "sex": 0.55}
Labels = NDArray[np.int64]
NOISE = 0.9  # share of an image's difficulty that all runs have in common


@dataclass(frozen=True)
class Wanted:
    """What a run on a task should come to, in per cent."""

    accuracy: float = 82.0
    equalized_odds: float = 18.0
    sensitive: float = 86.0
    detected: float = 10.0  # rate of true positives of a rare target


def fabricate(
    plan: Plan,
    root: Path,
    reference: Reference,
    *,
    rows: int = 1000,
    resamples: int = 20,
    effect: float = 1.0,
    control: float = 0.3,
) -> None:
    """Fill `root` with what every stage of the plan would have written, checkpoints and images aside."""
    wanted = dict(_wanted(plan, reference, effect, control))
    for key, entry in plan.probe.items():
        _probe(plan, root, key, entry, wanted, rows=rows, resamples=resamples)
    for stage in ("warmup", "fair", "baseline"):
        for key in getattr(plan, stage):
            _training(plan, root, stage, key)
    for cell in plan.report["tsne"]:
        _tsne(plan, root, cell, effect)
    for key in plan.prepare:
        _card(plan, root, key, rows)


def _wanted(
    plan: Plan, reference: Reference, effect: float, control: float
) -> Iterator[tuple[tuple[str, str, str], Wanted]]:
    """What each (probe, target, sensitive) should come to; the first table that has a cell decides."""
    found: dict[tuple[str, str, str], Wanted] = {}
    for name, cells in plan.report["tables"].items():
        for cell in cells:
            base = _printed(reference, name, cell["row"].partition(" + ProtoFair")[0], cell["column"])
            fair = _printed(reference, name, cell["row"], cell["column"])
            for role, share in (("runs", effect), ("controls", effect * control)):
                for seed, probe in cell.get(role, {}).items():
                    number = _blend(base, fair, share, jitter=0.2 * (int(seed) - 1))
                    found.setdefault((probe, cell["target"], cell["sensitive"]), number)
    for cell in plan.report["ablation"]:
        weight = float(cell["value"]) if cell["vary"] == "weight" else 0.3
        base, fair = (_printed(reference, "table1", row, cell["column"]) for row in ("SupCon", "SupCon + ProtoFair"))
        share = effect * (control + (1 - control) * min(1.0, weight / 0.1))
        for seed, probe in cell["runs"].items():
            number = _blend(base, fair, share, jitter=0.2 * (int(seed) - 1))
            if weight > 0.5:
                number = replace(number, accuracy=number.accuracy - 4 * weight)
            found.setdefault((probe, cell["target"], cell["sensitive"]), number)
    yield from found.items()


def _printed(reference: Reference, table: str, row: str, column: str) -> Wanted:
    printed = reference.tables.get(table)
    if printed is None or row not in printed.rows or column not in printed.columns:
        return Wanted(detected=12.0) if "ProtoFair" in row else Wanted()
    values = {metric: printed.value(row, column, metric) for metric in printed.metrics}
    return Wanted(
        values.get("accuracy") or 84.0,
        values.get("equalized_odds") or 0.0,
        values.get("sensitive.accuracy") or (80.0 if "ProtoFair" in row else 86.0),
        12.0 if "ProtoFair" in row else 10.0,
    )


def _blend(base: Wanted, fair: Wanted, share: float, *, jitter: float) -> Wanted:
    start, end = (np.array(list(vars(wanted).values())) for wanted in (base, fair))
    accuracy, equalized_odds, sensitive, detected = start + share * (end - start)
    return Wanted(accuracy + jitter, max(0.0, equalized_odds + jitter), sensitive + jitter, detected)


def _probe(
    plan: Plan,
    root: Path,
    key: str,
    entry: Entry,
    wanted: dict[tuple[str, str, str], Wanted],
    *,
    rows: int,
    resamples: int,
) -> None:
    labels = _labels(plan.prepare[entry["data"]]["dataset"], entry["tasks"], rows)
    pairs = [(task["target"], task["sensitive"]) for task in entry["tasks"]]
    goals = {pair: wanted.get((key, *pair), Wanted()) for pair in pairs}
    answers: dict[str, Answers] = {}
    for target, sensitive in goals:
        if target not in answers:
            groups = {s: goal for (t, s), goal in goals.items() if t == target}
            right = _right(labels, target, groups)
            answers[target] = _answers(key, target, labels[target], right)
        if sensitive not in answers:
            right = np.full(rows, goals[target, sensitive].sensitive / 100)
            answers[sensitive] = _answers(key, sensitive, labels[sensitive], right)
    own = {}
    if _has_classifier(plan, entry["checkpoint"]):  # which then comes to what is wanted, and the linear probe near it
        target = pairs[0][0]
        own = {f"own/{target}": answers[target]}
        right = _right(labels, target, {s: goal for (t, s), goal in goals.items() if t == target})
        answers[target] = _answers(f"{key}/linear", target, labels[target], 0.97 * right)
    mixed = 0.7 if entry["checkpoint"]["stage"] == "fair" and "control" not in key else 0.4
    tasks = []
    for target, sensitive in goals:
        evaluated = partial(
            evaluate,
            sensitive=answers[sensitive],
            mixing=lambda weights: {"mixing": mixed * weights[:, ::2].mean(axis=1)},
            resamples=resamples,
            seed=0,
            name=key,
        )
        test = evaluated(answers[target])
        for answer in own.values():
            test["own"] = {n: part for n, part in evaluated(answer).items() if n not in ("sensitive", "mixing")}
        tasks.append({"target": target, "sensitive": sensitive, "val": test, "test": test})
    folder = root / "results" / plan.suite / "probe" / key
    record = {
        "stage": "probe",
        "key": key,
        "suite": plan.suite,
        "config": {"probe": resolved(plan, "probe", key), "training": _trained_with(plan, entry["checkpoint"])},
        "inputs": {},
    }
    _write(folder / "metrics.json", {"format": 1, **record, "tasks": tasks})
    _write(folder / "run.json", {**record, **_machine(120.0)})
    arrays = {}
    for attribute, answer in (answers | own).items():
        arrays[f"{attribute}/test/label"] = answer.label.astype(np.uint8)
        arrays[f"{attribute}/test/score"] = answer.score.astype(np.float32)
        arrays[f"{attribute}/test/prediction"] = answer.prediction.astype(np.uint8)
    np.savez(folder / "predictions.npz", **arrays)


def _chosen(plan: Plan, checkpoint: Entry) -> Entry:
    """A checkpoint, or the one in the middle of those it is chosen from."""
    if checkpoint["stage"] != "select":
        return checkpoint
    chosen: Entry = plan.select[checkpoint["key"]]["candidates"][1]["checkpoint"]
    return chosen


def _has_classifier(plan: Plan, checkpoint: Entry) -> bool:
    """Whether what was trained has a classifier of its own."""
    checkpoint = _chosen(plan, checkpoint)
    if checkpoint["stage"] == "baseline":
        return True
    key = plan.fair[checkpoint["key"]]["warmup"] if checkpoint["stage"] == "fair" else checkpoint["key"]
    return bool(plan.warmup[key]["objective"]["name"] == "ce")


def _labels(dataset: str, tasks: list[Entry], rows: int) -> dict[str, Labels]:
    """The attributes of a test set, the same for every run on it."""
    names = sorted({task[role] for task in tasks for role in ("target", "sensitive")})
    return {name: _label(dataset, name, rows) for name in names}


def _label(dataset: str, name: str, rows: int) -> Labels:
    share = PREVALENCE.get(name, GROUP.get(name, 0.5))
    return (np.random.default_rng(_seed(dataset, name)).random(rows) < share).astype(np.int64)


def _right(labels: dict[str, Labels], target: str, groups: dict[str, Wanted]) -> NDArray[np.float64]:
    """How likely the answer about each image is right [n], for the wanted accuracy and the EO over each attribute."""
    label, goal = labels[target], next(iter(groups.values()))
    half = np.zeros(len(label))
    for sensitive, of_group in groups.items():
        half += np.where(label == labels[sensitive], 1, -1) * of_group.equalized_odds / 200
    right = np.full(len(label), goal.accuracy / 100 - half.mean())
    if label.mean() < 0.15:  # rare: hardly ever found, as at the paper's accuracy
        right[label == 1] = goal.detected / 100
        right[label == 0] = (goal.accuracy / 100 - half.mean() - (right * label).mean()) / (1 - label.mean())
    return np.clip(right + half, 0.005, 0.995)


def _answers(key: str, attribute: str, label: Labels, right: NDArray[np.float64]) -> Answers:
    """Log-odds [n, 1] whose sign is right for just these shares of the images that are alike."""
    common = np.random.default_rng(_seed(attribute)).standard_normal(len(label))
    own = np.random.default_rng(_seed(key, attribute)).standard_normal(len(label))
    ease = np.sqrt(NOISE) * common + np.sqrt(1 - NOISE) * own
    score = np.empty(len(label))
    for share in np.unique(right):
        for y in (0, 1):
            alike = (right == share) & (label == y)
            if alike.any():
                margin = ease[alike] - np.quantile(ease[alike], 1 - share)
                score[alike] = margin if y else -margin
    return Answers((0, 1), label, score[:, None])


def _training(plan: Plan, root: Path, stage: str, key: str) -> None:
    entry = resolved(plan, stage, key)
    random = np.random.default_rng(_seed(key))
    first = entry["from_epoch"] + 1 if stage == "fair" else 1
    records = []
    for epoch in range(first, first + entry["epochs"]):
        base = 5.0 + 2.0 / epoch + 0.02 * random.standard_normal()
        record: Entry = {"epoch": epoch, "lr": 0.1 / epoch, "loss": base, "base": base}
        if stage == "fair":
            clusters = _clusters(random, entry["num_prototypes"])
            within, cross = 4.0 + random.random(), 5.0 + random.random()
            record |= {"loss": base + entry["weight"] * (within + cross), "fair": within + cross}
            record |= {"within": within, "cross": cross, "pairs_within": 2000.0, "pairs_queue": 9000.0}
            record |= {"anchors_within": 250.0, "anchors_queue": 255.0, "queue_fill": 1024.0}
            record["clusters"] = clusters
            if (epoch - first) % entry["reinit_every"] == 0:
                record["kmeans"] = clusters
        records.append(record | {"seconds": 60.0, "images_per_second": 2700.0})
    folder = root / "results" / plan.suite / stage / key
    config = {"stage": stage, stage: entry}
    _write(folder / "run.json", {"stage": stage, "key": key, "config": config, **_machine(60.0 * len(records))})
    (folder / "log.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def _clusters(random: np.random.Generator, count: int) -> Entry:
    occupancy = random.dirichlet(np.full(count, 20.0)).round(6)
    first = random.uniform(0.3, 0.7, count).round(6)
    return {
        "occupancy": occupancy.tolist(),
        "sensitive_purity": 0.62,
        "sensitive_purity_chance": 0.58,
        "group_shares": [[share, round(1 - share, 6)] for share in first.tolist()],
        "pair_purity": 0.91,
    }


def _tsne(plan: Plan, root: Path, cell: Entry, effect: float) -> None:
    config = resolved(plan, "tsne", cell["tsne"])
    random = np.random.default_rng(_seed(cell["tsne"]))
    count = min(config["points"], 600)
    target, sensitive = (random.integers(2, size=count) for _ in range(2))
    apart = 12.0 * (1 - 0.8 * effect * ("ProtoFair" in cell["row"]))
    x, y = random.normal(size=(2, count)) * 10 + np.stack([apart * sensitive, 20 * target])
    lines = [f"{a:.3f},{b:.3f},{t},{s}" for a, b, t, s in zip(x, y, target, sensitive, strict=True)]
    folder = root / "results" / plan.suite / "tsne" / cell["tsne"]
    mixed = 0.45 + 0.4 * effect * ("ProtoFair" in cell["row"])
    mixing = {space: {"value": mixed, "low": mixed - 0.03, "high": mixed + 0.03} for space in ("plane", "features")}
    record = {"stage": "tsne", "key": cell["tsne"], "suite": plan.suite, "config": {"tsne": config}, "inputs": {}}
    _write(folder / "tsne.json", {"format": 1, **record, "count": count, "kl_divergence": 1.2, "mixing": mixing})
    _write(folder / "run.json", {**record, **_machine(40.0)})
    (folder / "points.csv").write_text("\n".join(["x,y,target,sensitive", *lines]) + "\n", encoding="utf-8")


def _card(plan: Plan, root: Path, key: str, rows: int) -> None:
    entry = plan.prepare[key]
    official = plan.acquire[entry["acquire"]].get("source", "official") == "official"
    facts = {"bytes": 1, "sha256": hashlib.sha256(key.encode()).hexdigest()}
    _write(
        root / "data" / "packed" / key / "card.json",
        {
            "title": entry["dataset"],
            "official": official,
            "key": key,
            "config": resolved(plan, "prepare", key),
            "shape": [10 * rows, entry["size"], entry["size"], 3],
            "splits": {"train": 8 * rows, "val": rows, "test": rows, "": 0},
            "problems": {},
            "left_out": {},
            "identical": {"groups": 0, "groups_in_two_splits": 0},
            "lookalikes": None,
            "pairs": [],
            "checks": [],
            "notes": [],
            "licence": {"name": "research only", "url": "https://example.org", "accepted": True} if official else None,
            "source_files": [],
            "source_images": {"layout": "zip", "count": 10 * rows, "bytes": 1, "sha256": facts["sha256"]},
            "files": dict.fromkeys(("images.npy", "labels.csv"), facts),
            "warnings": [],
        },
    )


def _trained_with(plan: Plan, checkpoint: Entry) -> Entry:
    """The configuration a checkpoint carries."""
    checkpoint = _chosen(plan, checkpoint)
    stage, key = checkpoint["stage"], checkpoint["key"]
    config: Entry = {"stage": stage, stage: resolved(plan, stage, key), "manifest": "0" * 64}
    before = getattr(plan, stage)[key].get("warmup") or getattr(plan, stage)[key].get("teacher")
    if before:
        config["warmup"] = resolved(plan, "warmup", before)
    return config


def _machine(seconds: float) -> Entry:
    versions = {"protofair": "0.1.0", "python": "3.11.2", "torch": "2.13.0", "numpy": "2.4.1", "cuda": "13.0"}
    hardware = {"device": "cuda", "gpu": "A GPU", "cpu": "A CPU", "cores": 16, "threads": 8, "system": "Linux"}
    return {"versions": versions, "hardware": hardware, "wall_seconds": seconds}


def _seed(*names: str) -> int:
    return int.from_bytes(hashlib.sha256("/".join(names).encode()).digest()[:4])


def _write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
