"""`protofair probe`: features once, then every probe and every metric on them.

Into results/<suite>/probe/<key>/ go
  metrics.json     what came out, with the configuration and the hashes of the inputs: equal inputs, equal bytes. Of a
                   method with a classifier of its own, beside the linear probe what that one answers, under `own`
  summary.json     of each task on the test split the numbers a table has, for `dvc metrics show` and `diff`
  predictions.npz  <attribute>/<split>/label, score and prediction: what the metrics are computed from; likewise
                   own/<attribute>/<split>/... of a method's own classifier
  run.json         configuration and hashes again, versions, hardware, wall time
"""

import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from protofair.core.atomic import replacing, write_json
from protofair.core.entries import Plan
from protofair.core.environment import environment
from protofair.core.errors import UserError
from protofair.probe.config import ProbeConfig
from protofair.probe.crops import random_crops
from protofair.probe.evaluate import Answers, evaluate
from protofair.probe.inputs import Inputs, open_inputs
from protofair.probe.labels import Labels, read_labels, split_rows
from protofair.probe.linear import scores, train_probes
from protofair.probe.mixing import Mixing, nearest_neighbours

FORMAT = 1
MEASURED = ("val", "test")
SUMMARISED = ("accuracy", "equalized_odds", "balanced_accuracy", "auroc", "auroc_gap", "mixing")
# Of one split: what each probe answers, by attribute.
SplitAnswers = dict[str, Answers]


def run_probe(plan: Plan, key: str) -> dict[str, Any]:
    """Measure a checkpoint; returns the content of metrics.json. Nothing is written before everything is known."""
    start = time.perf_counter()
    config = plan.entry("probe", key, ProbeConfig)
    inputs = open_inputs(plan, checkpoint=config.checkpoint, data=config.data)
    rows = split_rows(inputs.packed)
    for split in MEASURED:
        if split in rows and len(rows[split]) <= config.neighbours:
            raise UserError(
                f"{plan.path}: probe.{key}: 'neighbours': {config.neighbours} is too many for the"
                f" {len(rows[split])} images in '{split}' of {inputs.packed.path}. Lower it."
            )
    attributes = dict.fromkeys(name for task in config.tasks for name in (task.target, task.sensitive))
    try:
        labels = {name: read_labels(inputs.packed, name, rows) for name in attributes}
    except UserError as error:
        raise UserError(f"{plan.where('probe', key)}: 'tasks': {error}") from None

    probes = _train(inputs, rows["train"], labels, config)
    features = {split: inputs.features(rows[split]) for split in MEASURED if split in rows}
    answers = {split: _answers(probes, features[split], labels, split) for split in features}
    own = {split: _own_answers(inputs, features[split], labels, split) for split in features}
    measured = {split: _measure(answers[split], own[split], features[split], config, split=split) for split in features}

    record = {
        "stage": "probe",
        "key": key,
        "suite": plan.suite,
        "config": {"probe": config.model_dump(mode="json"), "training": inputs.trained.config},
        "inputs": inputs.hashes(),
    }
    tasks = [
        {**task.model_dump(), **{split: measured[split][number] for split in measured}}
        for number, task in enumerate(config.tasks)
    ]
    metrics = {"format": FORMAT, **record, "tasks": tasks}
    seconds = round(time.perf_counter() - start, 1)
    folder = plan.folder("probe", key)
    _write_predictions(folder / "predictions.npz", answers, own)
    write_json(folder / "run.json", {**record, **environment(inputs.device), "wall_seconds": seconds})
    write_json(folder / "summary.json", _summary(tasks))
    write_json(folder / "metrics.json", metrics)
    return metrics


def _summary(tasks: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """The main numbers of each task on the test split, without intervals."""
    summary = {}
    for task in tasks:
        numbers = {name: task["test"][name]["value"] for name in SUMMARISED}
        own = task["test"].get("own", {})
        numbers |= {f"own_{name}": own[name]["value"] for name in SUMMARISED if name in own}
        numbers["sensitive_accuracy"] = task["test"]["sensitive"]["accuracy"]["value"]
        summary[f"{task['target']}/{task['sensitive']}"] = numbers
    return summary


def _train(
    inputs: Inputs, rows: NDArray[np.int64], labels: dict[str, Labels], config: ProbeConfig
) -> dict[str, nn.Linear]:
    cached = None if config.augment else inputs.features(rows)

    def of_epoch(epoch: int) -> Tensor:
        if cached is not None:
            return cached
        return inputs.features(rows, transform=random_crops(seed=config.seed, epoch=epoch))

    return train_probes(
        of_epoch,
        {name: torch.from_numpy(found.classes["train"]).to(inputs.device) for name, found in labels.items()},
        num_classes={name: len(found.class_values) for name, found in labels.items()},
        config=config,
    )


def _answers(probes: dict[str, nn.Linear], features: Tensor, labels: dict[str, Labels], split: str) -> SplitAnswers:
    return {
        name: Answers(found.class_values, found.classes[split], scores(probes[name], features).double().cpu().numpy())
        for name, found in labels.items()
    }


def _own_answers(inputs: Inputs, features: Tensor, labels: dict[str, Labels], split: str) -> SplitAnswers:
    """What the method's own classifier says, of the attribute it has learned; nothing if it has none."""
    trained = inputs.trained
    if trained.classifier is None or trained.target not in labels:
        return {}
    found = labels[trained.target]
    if trained.classifier.out_features != len(found.class_values):
        raise UserError(
            f"{trained.path}: its classifier knows {trained.classifier.out_features} classes of '{trained.target}',"
            f" {inputs.packed.path} has {len(found.class_values)}. Prepare the data set again, or train again."
        )
    score = scores(trained.classifier, features).double().cpu().numpy()
    return {trained.target: Answers(found.class_values, found.classes[split], score)}


def _measure(
    answers: SplitAnswers, own: SplitAnswers, features: Tensor, config: ProbeConfig, *, split: str
) -> list[dict[str, Any]]:
    """The metrics of every task on a split, of the linear probe and of the method's own classifier."""
    nearest = nearest_neighbours(features, neighbours=config.neighbours, metric="cosine")
    measured = []
    for task in config.tasks:
        evaluated = partial(
            evaluate,
            sensitive=answers[task.sensitive],
            mixing=Mixing(nearest, sensitive=answers[task.sensitive].label),
            resamples=config.bootstrap,
            seed=config.seed,
            name=f"{task.target}/{task.sensitive}, {split}",
        )
        found = evaluated(answers[task.target])
        if task.target in own:
            both = ("sensitive", "mixing")  # are of the features, whoever classifies them
            found["own"] = {name: part for name, part in evaluated(own[task.target]).items() if name not in both}
        measured.append(found)
    return measured


def _write_predictions(path: Path, answers: dict[str, SplitAnswers], own: dict[str, SplitAnswers]) -> None:
    arrays = {}
    for split in answers:
        named = answers[split] | {f"own/{attribute}": answer for attribute, answer in own[split].items()}
        for attribute, answer in named.items():
            place = f"{attribute}/{split}"
            arrays[f"{place}/label"] = answer.label.astype(np.uint8)
            arrays[f"{place}/score"] = answer.score.astype(np.float32)
            arrays[f"{place}/prediction"] = answer.prediction.astype(np.uint8)
    with replacing(path) as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]  # numpy's stub takes them for its own option
