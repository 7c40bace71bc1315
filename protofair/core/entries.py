"""The plan a stage reads its entry from, and where things lie."""

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

    def entries(self, stage: str) -> dict[str, Any]:
        """All of a stage, as they are written."""
        found = self.content.get(stage)
        return found if isinstance(found, dict) else {}

    def entry(self, stage: str, key: str, model: type[Model]) -> Model:
        known = self.entries(stage)
        if key not in known:
            raise UserError(f"{self.path}: {stage}: no entry '{key}'. {did_you_mean(key, known)}")
        return parse(model, known[key], where=self.where(stage, key))

    def where(self, stage: str, key: str) -> str:
        """The beginning of a message about an entry."""
        return f"{self.path}: {stage}.{key}"

    def folder(self, stage: str, key: str) -> Path:
        """Where a stage writes, relative to the working folder."""
        return Path("results", self.suite, stage, key)


def packed_folder(data: str) -> Path:
    return Path("data", "packed", data)
