"""The plan a stage reads its entry from, and where things lie."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from protofair.core.errors import UserError
from protofair.core.strict import KEY, Model, did_you_mean, parse, read_yaml


@dataclass(frozen=True)
class Plan:
    """A plan's entries by stage and key."""

    path: Path
    suite: str
    content: dict[str, Any]

    @classmethod
    def read(cls, path: Path) -> "Plan":
        content = read_yaml(path, missing="`protofair plan demo` writes one")
        if not isinstance(content, dict) or not isinstance(content.get("suite"), str):
            raise UserError(f"{path}: 'suite' is missing, so this is no plan. Write one: protofair plan demo")
        check_key(content["suite"], where=f"{path}: suite")
        return cls(path, content["suite"], content)

    def entries(self, stage: str) -> dict[str, Any]:
        """All of a stage, as they are written."""
        return stage_entries(self.content, stage, path=self.path)

    def entry(self, stage: str, key: str, model: type[Model]) -> Model:
        known = self.entries(stage)
        check_key(key, where=f"{self.path}: {stage}")
        if key not in known:
            raise UserError(f"{self.path}: {stage}: no entry '{key}'. {did_you_mean(key, known)}")
        return parse(model, known[key], where=self.where(stage, key))

    def where(self, stage: str, key: str) -> str:
        """The beginning of a message about an entry."""
        return f"{self.path}: {stage}.{key}"

    def folder(self, stage: str, key: str) -> Path:
        """Where a stage writes, relative to the working folder."""
        return Path("results", self.suite, stage, key)


def stage_entries(content: Any, stage: str, *, path: Path) -> dict[str, Any]:
    """The entries of a stage in a plan, as they are written; refused if they are not options by key."""
    found = content.get(stage) if isinstance(content, dict) else None
    if not isinstance(found, dict | None):
        raise UserError(f"{path}: '{stage}': expected entries by key, found {found!r}.")
    for key, entry in (found or {}).items():
        if not isinstance(key, str):
            raise UserError(f"{path}: {stage}: the key {key!r} is no word to YAML. Put it in quotes.")
        if not isinstance(entry, dict):
            raise UserError(f"{path}: {stage}.{key}: expected options by name, found {entry!r}.")
    return found or {}


def check_key(key: str, *, where: str) -> None:
    """Refuse a key that would not stay the name of a file or folder."""
    if not re.fullmatch(KEY, key):
        raise UserError(f"{where}: '{key}': a key has letters, digits, '.', '_' and '-', and none of the signs first.")


def packed_folder(data: str) -> Path:
    return Path("data", "packed", data)
