"""From a suite to the plan: every stage once, however many cells of however many tables it serves."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any, get_args

from protofair.baselines.method import MethodOptions
from protofair.baselines.registry import MethodConfig
from protofair.objectives.registry import ObjectiveConfig
from protofair.plan.plan import Entry, Plan, Stage
from protofair.plan.suite import Ablation, Column, Options, Row, Suite, Table, Tsne
from protofair.train.config import FairOptions

# What the `objective` of a row may be: a base objective, or a method that trains in its own way.
OBJECTIVES: dict[str, Any] = {
    get_args(model.model_fields["name"].annotation)[0]: model
    for union in (ObjectiveConfig, MethodConfig)
    for model in get_args(get_args(union)[0])
}


def is_method(objective: str) -> bool:
    """Whether the name is of a method that trains in its own way, to which nothing can be added."""
    return issubclass(OBJECTIVES[objective], MethodOptions)


def resolve(suite: Suite) -> Plan:
    """Every training, probe and figure the suite asks for, with what can be shared shared."""
    return _Resolver(suite).plan


class _Resolver:
    def __init__(self, suite: Suite) -> None:
        self.suite = suite
        self.plan = Plan(suite.suite)
        self.plan.report = {"title": suite.title, "scale": suite.scale, "seeds": []}
        self.plan.report["tables"] = {name: self._table(table) for name, table in suite.tables.items()}
        self.plan.report["tsne"] = self._tsne(suite.tsne) if suite.tsne else []
        self.plan.report["ablation"] = self._ablation(suite.ablation) if suite.ablation else []
        # DVC cannot leave out a dependency: a plan without t-SNE names a file on which all stages depend anyway.
        folder = f"results/{suite.suite}/tsne" if self.plan.tsne else "docker/requirements.lock"
        self.plan.report["tsne_folder"] = folder
        self.plan.report["seeds"] = sorted({entry["seed"] for entry in self.plan.probe.values()})

    def _table(self, table: Table) -> list[Entry]:
        return [
            self._cell(row, name, column, table.data, table.probe)
            for row in table.rows
            for name, column in table.columns.items()
            if not row.only or name in row.only
        ]

    def _ablation(self, ablation: Ablation) -> list[Entry]:
        cells = []
        for option, values in ablation.vary.items():
            for value in values:
                varied = ablation.row.model_copy(update={"fair": {**(ablation.row.fair or {}), option: value}})
                for name, column in ablation.columns.items():
                    cell = self._cell(varied, name, column, ablation.data, {}, controls=False)
                    cells.append({"vary": option, "value": value, **cell})
        return cells

    def _tsne(self, tsne: Tsne) -> list[Entry]:
        cells = []
        for row in tsne.rows:
            for name, column in tsne.columns.items():
                data = self._prepare(column.data or tsne.data or "")
                checkpoint = self._checkpoint(row, name, column, data, {}, (column.seeds or self.suite.seeds)[0])
                task = {"target": column.target, "sensitive": column.sensitive}
                entry = {"checkpoint": checkpoint, "data": data, **task, **tsne.options}
                key = _add(self.plan.tsne, f"{_checkpoint_key(checkpoint)}-{column.sensitive.lower()}", entry)
                cells.append({"row": row.name, "column": name, **task, "tsne": key})
        return cells

    def _cell(
        self, row: Row, name: str, column: Column, data: str | None, probe: Options, *, controls: bool = True
    ) -> Entry:
        """Plan what a cell needs, for every seed; return what the report needs to find it."""
        packed = self._prepare(column.data or data or "")
        cell: Entry = {"row": row.name, "column": name, "target": column.target, "sensitive": column.sensitive}
        for role, variant in self._variants(row, controls=controls and self.suite.controls):
            cell[role] = {}
            for seed in column.seeds or self.suite.seeds:
                checkpoint = self._checkpoint(variant, name, column, packed, probe, seed)
                cell[role][str(seed)] = self._probe(checkpoint, packed, column, probe, seed)
        return cell

    def _variants(self, row: Row, *, controls: bool) -> Iterator[tuple[str, Row]]:
        """The row itself and, for a fair run, its control: the same extra training with weight 0."""
        yield "runs", row
        if row.fair is not None and controls:
            columns = {name: {**options, "weight": 0.0} for name, options in row.columns.items()}
            yield "controls", row.model_copy(update={"fair": {**row.fair, "weight": 0.0}, "columns": columns})

    def _prepare(self, name: str) -> str:
        data = self.suite.data[name]
        toy = data.source == "toy"
        source = {"dataset": data.dataset, "source": data.source, **data.toy}
        acquired = _add(self.plan.acquire, f"toy-{data.dataset}" if toy else data.dataset, source)
        entry = {"acquire": acquired, "dataset": data.dataset, "size": data.size}
        if data.split:
            entry["split"] = data.split
        alpha = f"-a{data.split['alpha']}".replace(".", "_") if "alpha" in data.split else ""
        return _add(self.plan.prepare, f"{acquired}-{data.size}{alpha}", entry)

    def _training(self, row: Row, column: Column) -> tuple[Entry, dict[str, str], Entry]:
        """The options of a row's objective, the labels it learns from, and the training it gets."""
        special = self.suite.objectives.get(row.objective)
        model = OBJECTIVES[row.objective]
        labels = {name: getattr(column, name) for name in ("target", "sensitive") if name in model.model_fields}
        options = {"name": row.objective, **labels, **(special.options if special else {}), **row.options}
        training = self.suite.training.model_dump()
        for changes in (getattr(model, "training", {}), special.training if special else {}):
            for name, value in changes.items():
                training[name] = {**training[name], **value} if isinstance(value, dict) else value
        return options, labels, {name: value for name, value in training.items() if value not in ({}, None)}

    def _warmup(self, row: Row, column: Column, data: str, seed: int) -> str:
        objective, labels, training = self._training(row, column)
        entry: Entry = {"data": data, "objective": objective}
        names = [row.objective]
        if row.adversary is not None:
            labels["sensitive"] = column.sensitive
            entry["adversary"] = {"sensitive": column.sensitive, **row.adversary}
            names.append(f"grl{row.adversary.get('weight', 1):g}")
        entry |= {**training, "keep": [training["epochs"]], "seed": seed}
        name = "-".join([*names, data, *(label.lower() for label in labels.values()), f"s{seed}"])
        return _add(self.plan.warmup, name, entry, apart_from=("keep",))

    def _baseline(self, row: Row, column: Column, data: str, seed: int) -> str:
        method, labels, training = self._training(row, column)
        entry = {"data": data, "method": method, **training, "seed": seed}
        entry["needs"] = f"data/packed/{data}/manifest.json"
        if OBJECTIVES[row.objective].needs_teacher:
            classes = {"num_classes": method["num_classes"]} if "num_classes" in method else {}
            teacher = self._warmup(Row(name="CE", objective="ce", options=classes), column, data, seed)
            needs = self.plan.checkpoints({"stage": "warmup", "key": teacher})
            entry |= {"teacher": teacher, "needs": needs}
        name = "-".join([row.objective, data, *(label.lower() for label in labels.values()), f"s{seed}"])
        return _add(self.plan.baseline, name, entry)

    def _select(self, row: Row, name: str, column: Column, data: str, probe: Options, seed: int) -> Entry:
        """The checkpoint of a row that leaves the adversary's weight to the validation images."""
        candidates = []
        for weight in (row.adversary or {})["weight"]:
            one = row.model_copy(update={"adversary": {**(row.adversary or {}), "weight": weight}})
            checkpoint = self._checkpoint(one, name, column, data, probe, seed)
            measured = self._probe(checkpoint, data, column, probe, seed)
            candidates.append({"weight": weight, "checkpoint": checkpoint, "probe": measured})
        first = candidates[0]
        entry = {"target": column.target, "sensitive": column.sensitive, "candidates": candidates}
        key = first["checkpoint"]["key"].replace(f"-grl{first['weight']:g}-".replace(".", "_"), "-grl-")
        return {**first["checkpoint"], "stage": "select", "key": _add(self.plan.select, key, entry)}

    def _checkpoint(self, row: Row, name: str, column: Column, data: str, probe: Options, seed: int) -> Entry:
        """The checkpoint of a row: of its warm-up, of the fair phase after it, of a baseline, or chosen from three."""
        if isinstance((row.adversary or {}).get("weight"), list):
            return self._select(row, name, column, data, probe, seed)
        if is_method(row.objective):
            key = self._baseline(row, column, data, seed)
            return {"stage": "baseline", "key": key, "epoch": self.plan.baseline[key]["epochs"]}
        warmup = self._warmup(row, column, data, seed)
        epochs = self.plan.warmup[warmup]["epochs"]
        if row.fair is None:
            return {"stage": "warmup", "key": warmup, "epoch": epochs}
        options = {"from_epoch": epochs, **self.suite.fair, **row.fair, **row.columns.get(name, {})}
        fair = FairOptions.model_validate(options)
        options |= {"epochs": fair.epochs, "weight": fair.weight}  # others read these in the plan
        entry = {"warmup": warmup, "data": data, "sensitive": column.sensitive, **options, "seed": seed}
        keep = self.plan.warmup[warmup]["keep"]
        keep[:] = sorted({*keep, fair.from_epoch})
        phase = f"{fair.from_epoch}p{fair.epochs}"
        if fair.weight == 0:
            # Nothing of the term reaches the encoder: one control serves every sensitive attribute and every K.
            key = _add(self.plan.fair, f"{warmup}-control-{phase}", entry, apart_from=("sensitive", "num_prototypes"))
        else:
            term = f"k{fair.num_prototypes}-w{fair.weight:g}"
            key = _add(self.plan.fair, f"{warmup}-{column.sensitive.lower()}-{term}-{phase}", entry)
        return {"stage": "fair", "key": key, "epoch": fair.from_epoch + fair.epochs}

    def _probe(self, checkpoint: Entry, data: str, column: Column, options: Options, seed: int) -> str:
        entry = {"checkpoint": checkpoint, "data": data, "tasks": [], **self.suite.probe, **options, "seed": seed}
        key = _add(self.plan.probe, _checkpoint_key(checkpoint), entry, apart_from=("tasks",))
        task = {"target": column.target, "sensitive": column.sensitive}
        tasks = self.plan.probe[key]["tasks"]
        if task not in tasks:
            tasks.append(task)
        return key


def _checkpoint_key(checkpoint: Entry) -> str:
    return f"{checkpoint['key']}-e{checkpoint['epoch']}" if checkpoint["stage"] == "warmup" else str(checkpoint["key"])


def _add(stage: Stage, key: str, entry: Entry, apart_from: tuple[str, ...] = ()) -> str:
    """The key of `entry` in `stage`: of the equal one that is there already, or a new one.

    Two entries that would be called the same get a piece of their hash behind the name. `apart_from` names what does
    not make entries differ.
    """

    def identity(value: Entry) -> Entry:
        return {name: part for name, part in value.items() if name not in apart_from}

    key = key.replace(".", "_")
    if key in stage and identity(stage[key]) != identity(entry):
        text = json.dumps(identity(entry), sort_keys=True)
        key = f"{key}-{hashlib.sha256(text.encode()).hexdigest()[:6]}"
    stage.setdefault(key, entry)
    return key
