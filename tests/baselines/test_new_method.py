"""Adding a method takes one file, one member of a registry and one row in `params/`: nothing else is touched."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
METHOD = '''
"""A method that only learns the target, for a test."""

from typing import Literal

import torch.nn.functional as F
from torch import nn

from protofair.baselines.method import Method, MethodOptions, descend, sgd


class DummyConfig(MethodOptions):
    name: Literal["dummy"] = "dummy"

    def build(self, encoder, teacher):
        return Dummy(encoder, self)


class Dummy(Method):
    def __init__(self, encoder, config):
        super().__init__()
        self.encoder, self.classifier = encoder, nn.Linear(encoder.feature_dim, config.num_classes)

    def optimisers(self, options):
        return {"all": sgd([self.encoder, self.classifier], options)}

    def update(self, step, optimisers):
        loss = F.cross_entropy(self.classifier(self.encoder(step.images)), step.target)
        descend(optimisers["all"], loss)
        return {"loss": loss.detach()}
'''
OBJECTIVE = '''
"""An objective that only learns the target, for a test."""

from typing import Literal

import torch
import torch.nn.functional as F
from torch import nn

from protofair.objectives.objective import Objective, Options, Output, both_views


class PlainConfig(Options):
    name: Literal["plain"] = "plain"
    target: str

    def build(self, encoder):
        return Plain(encoder)


class Plain(Objective):
    needs_target = True

    def __init__(self, encoder):
        super().__init__()
        self.z_dim, self.classifier = encoder.feature_dim, nn.Linear(encoder.feature_dim, 2)

    def forward(self, encoder, views, *, target=None, sensitive=None):
        features = encoder(torch.cat(views))
        loss = F.cross_entropy(self.classifier(features), both_views(target))
        return Output(loss, features, F.normalize(features, dim=1))

    def own_classifier(self):
        return self.classifier
'''
SUITE = """
suite: new
title: A new method
scale: tiny
data: {celeba: {dataset: celeba, size: 16, source: toy, toy: {images: 240}}}
training: {encoder: {name: resnet-tiny}, optimiser: {lr: 0.05, batch_size: 32}, epochs: 1}
probe: {epochs: 1, bootstrap: 10, neighbours: 5}
tables:
  table1:
    data: celeba
    columns: {"T:b, S:m": {target: Big_Nose, sensitive: Male}}
    rows:
      - {name: Dummy, objective: dummy}
      - {name: Plain, objective: plain, adversary: {weight: 1}}
      - {name: Plain + ProtoFair, objective: plain, adversary: {weight: 1}, fair: {epochs: 1, num_prototypes: 2}}
"""


def add(folder: Path, name: str, code: str, *, union: str, config: str) -> None:
    """The file and the registry's line."""
    (folder / f"{name}.py").write_text(code)
    registry = folder / "registry.py"
    text = registry.read_text().replace(f"{union} = Annotated[", f"{union} = Annotated[{config} | ", 1)
    line = f"from protofair.{folder.name}.{name} import {config}\n"
    registry.write_text(text.replace("from pydantic", f"{line}from pydantic", 1))


def test_a_method_and_an_objective_are_planned_trained_measured_and_reported(tmp_path):
    shutil.copytree(ROOT / "protofair", tmp_path / "protofair", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "params").mkdir()
    for name in ("sources.yaml", "reference.yaml"):
        shutil.copy(ROOT / "params" / name, tmp_path / "params")
    add(tmp_path / "protofair/baselines", "dummy", METHOD, union="MethodConfig", config="DummyConfig")
    add(tmp_path / "protofair/objectives", "plain", OBJECTIVE, union="ObjectiveConfig", config="PlainConfig")
    (tmp_path / "params/new.yaml").write_text(SUITE)

    run(tmp_path, ["plan new", "acquire toy-celeba", "prepare toy-celeba-16"])
    plan = yaml.safe_load((tmp_path / "params/plan.yaml").read_text())
    stages = ("warmup", "fair", "baseline", "probe")
    run(tmp_path, [*(f"{stage} {key}" for stage in stages for key in plan[stage]), "report"])
    page = (tmp_path / "results/new/report.html").read_text()
    for cell in plan["report"]["tables"]["table1"]:
        metrics = json.loads((tmp_path / "results/new/probe" / cell["runs"]["0"] / "metrics.json").read_text())
        shown = metrics["tasks"][0]["test"]["own"]["accuracy"]["value"]
        assert f"{shown:.1f}" in page, f"{cell['row']} by its own classifier"


def run(folder: Path, commands: list[str]) -> None:
    """All in one process: importing torch takes longer than so small a training."""
    code = "import sys; from protofair.cli import main\nfor line in sys.argv[1:]:\n  try: main(line.split())\n"
    code += "  except SystemExit as end: assert not end.code, line\n"
    environment = os.environ | {"PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1"}
    process = [sys.executable, "-c", code, *commands]
    done = subprocess.run(process, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
