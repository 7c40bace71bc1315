"""The plan a measurement reads its entry from, and whether a checkpoint is the one that the plan describes."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from protofair.core.errors import UserError
from protofair.core.strict import Model, did_you_mean, parse, read_yaml


@dataclass(frozen=True)
class Plan:
    """A plan's entries by stage and key."""

    path: Path
    suite: str
    content: dict[str, Any]

    @classmethod
    def read(cls, path: Path) -> "Plan":
        content = read_yaml(path)
        if not isinstance(content, dict) or not isinstance(content.get("suite"), str):
            raise UserError(f"{path}: 'suite' is missing, so this is no plan. Write one: protofair plan demo")
        return cls(path, content["suite"], content)

    def entry(self, stage: str, key: str, model: type[Model]) -> Model:
        entries = self._entries(stage)
        if key not in entries:
            raise UserError(f"{self.path}: {stage}: no entry '{key}'. {did_you_mean(key, entries)}")
        return parse(model, entries[key], where=f"{self.path}: {stage}.{key}")

    def folder(self, stage: str, key: str) -> Path:
        """Where a stage writes, relative to the working folder."""
        return Path("results", self.suite, stage, key)

    def differences(self, stage: str, key: str, trained: dict[str, Any]) -> Iterator[str]:
        """What the plan says about a training other than what `trained`, a checkpoint's configuration, says of itself.

        Only what the plan states is compared: what it leaves to a default is not known here. A part without an entry in
        the plan was trained by hand.
        """
        if stage == "select":  # chose a training of the plan, whose checkpoint was compared when it was measured
            return
        entry = self._entries(stage).get(key) or {}
        before = entry.get("warmup") or entry.get("teacher")
        if before:
            yield from self.differences("warmup", before, trained)
        yield from _differences(entry, trained.get(stage), stage)

    def _entries(self, stage: str) -> dict[str, Any]:
        entries = self.content.get(stage)
        return entries if isinstance(entries, dict) else {}


def _differences(planned: Any, trained: Any, name: str) -> Iterator[str]:
    if isinstance(planned, dict) and isinstance(trained, dict):
        for part in planned.keys() - {"keep"}:  # which epochs stay on disk makes no difference to any of them
            yield from _differences(planned[part], trained.get(part), f"{name}.{part}")
    elif not _same(planned, trained):
        yield f"'{name}' is {trained!r}, the plan says {planned!r}"


def _same(planned: Any, trained: Any) -> bool:
    """Equal, or the same number: to YAML 1e-4 is a word."""
    try:
        return planned == trained or float(planned) == float(trained)
    except (TypeError, ValueError):
        return False
