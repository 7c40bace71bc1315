"""Adding a method takes one file, one member of the registry and one row in `params/`: nothing else is touched."""

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
        return {"base": loss.detach()}
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
"""


def test_a_method_is_planned_trained_and_measured(tmp_path):
    shutil.copytree(ROOT / "protofair", tmp_path / "protofair", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "params").mkdir()
    shutil.copy(ROOT / "params" / "sources.yaml", tmp_path / "params")
    (tmp_path / "protofair/baselines/dummy.py").write_text(METHOD)
    registry = tmp_path / "protofair/baselines/registry.py"
    text = registry.read_text().replace("MethodConfig = Annotated[", "MethodConfig = Annotated[DummyConfig | ")
    registry.write_text(
        text.replace("from pydantic", "from protofair.baselines.dummy import DummyConfig\nfrom pydantic")
    )
    (tmp_path / "params/new.yaml").write_text(SUITE)

    environment = os.environ | {"PYTHONPATH": str(tmp_path), "OMP_NUM_THREADS": "1"}
    code = "import sys; from protofair.cli import main\nfor line in sys.argv[1:]:\n  try: main(line.split())\n"
    code += "  except SystemExit as end: assert not end.code, line\n"
    key = "dummy-toy-celeba-16-big_nose-male-s0"
    commands = ["plan new", "acquire toy-celeba", "prepare toy-celeba-16", f"baseline {key}", f"probe {key}"]
    process = [sys.executable, "-c", code, *commands]
    done = subprocess.run(process, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert yaml.safe_load((tmp_path / "params/plan.yaml").read_text())["baseline"][key]["method"]["name"] == "dummy"
    (task,) = json.loads((tmp_path / f"results/new/probe/{key}/metrics.json").read_text())["tasks"]
    assert 0 <= task["test"]["own"]["accuracy"]["value"] <= 100
