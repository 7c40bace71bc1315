"""The plan: every stage of the active suite by its key, in `params/plan.yaml`, which both DVC and Snakemake read.

DVC reads the file that has a stage's parameters once more for every stage, and walks through all of it: minutes for
the paper's plan. `params/plan.json` has the same entries, each as one line of text, and takes it a millisecond.
"""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import yaml

from protofair.core.entries import stage_entries
from protofair.core.errors import UserError
from protofair.core.strict import read_yaml

Entry = dict[str, Any]
Stage = dict[str, Entry]

PLAN = Path("params/plan.yaml")
LINES = Path("params/plan.json")
STAGES = ("acquire", "prepare", "warmup", "fair", "baseline", "select", "probe", "tsne")
HEADER = "# Written by `{command}`: change params/{suite}.yaml and run that again.\n"


@dataclass
class Plan:
    """The stages by name and key, and for the report which probe fills which cell."""

    suite: str
    options: Entry = field(default_factory=dict)  # how `protofair plan` was asked: seeds, only, full
    acquire: Stage = field(default_factory=dict)
    prepare: Stage = field(default_factory=dict)
    warmup: Stage = field(default_factory=dict)
    fair: Stage = field(default_factory=dict)
    baseline: Stage = field(default_factory=dict)
    select: Stage = field(default_factory=dict)
    probe: Stage = field(default_factory=dict)
    tsne: Stage = field(default_factory=dict)
    report: Entry = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path = PLAN) -> "Plan":
        if not path.exists():
            raise UserError(f"{path}: no such file. Write it: protofair plan demo")
        content = read_yaml(path)
        stages = {stage: stage_entries(content, stage, path=path) for stage in STAGES}
        parts = content if isinstance(content, dict) else {}
        known = {"suite", "options", "report", *STAGES} >= parts.keys() and isinstance(parts.get("suite"), str)
        if not known or not all(isinstance(parts.get(part, {}), dict) for part in ("options", "report")):
            raise UserError(f"{path}: not a plan. Write it anew: protofair plan demo")
        return cls(**parts | stages)

    def checkpoints(self, checkpoint: Entry) -> str:
        """The folder that holds a checkpoint which an entry names by stage, key and epoch."""
        return f"results/{self.suite}/{checkpoint['stage']}/{checkpoint['key']}/checkpoints"

    def teacher(self, baseline: str) -> list[str]:
        """The checkpoints of the warm-up that a baseline learns from; none if it learns from none."""
        entry = self.baseline[baseline]
        return [self.checkpoints({"stage": "warmup", "key": entry["teacher"]})] if "teacher" in entry else []

    @property
    def command(self) -> str:
        """The command line that writes this plan."""
        options = [
            f"--{name}" if values is True else f"--{name} {','.join(map(str, values))}"
            for name, values in self.options.items()
        ]
        return " ".join(["protofair plan", self.suite, *options])

    def files(self) -> dict[Path, str]:
        """What the plan is written as: for people and the stages, and for DVC to compare."""
        return {PLAN: self.text(), LINES: self.lines()}

    def text(self) -> str:
        header = HEADER.format(command=self.command, suite=self.suite)
        return header + yaml.dump(asdict(self), Dumper=_Plain, sort_keys=False, allow_unicode=True, width=160)

    def lines(self) -> str:
        stages = {stage: {key: line(entry) for key, entry in getattr(self, stage).items()} for stage in STAGES}
        return json.dumps({"suite": self.suite, **stages}, indent=1, ensure_ascii=False) + "\n"


def line(entry: Entry) -> str:
    """An entry as one line of YAML."""
    text: str = yaml.dump(entry, Dumper=_Plain, default_flow_style=True, sort_keys=False, allow_unicode=True, width=-1)
    return text.rstrip("\n")


class _Plain(yaml.CSafeDumper):
    """Writes a value that stands in two places twice: a plan is read by people too."""

    def ignore_aliases(self, data: Any) -> bool:
        return True
