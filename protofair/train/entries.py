"""The plan a training stage reads its entry from, and where things lie."""

from pathlib import Path

from protofair.core.errors import UserError
from protofair.core.strict import Model, did_you_mean, parse, read_yaml


class Plan:
    """A plan's entries by stage and key."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.content = read_yaml(path)
        if not isinstance(self.content, dict) or not isinstance(self.content.get("suite"), str):
            raise UserError(f"{path}: 'suite' is missing, so this is no plan. Write one: protofair plan demo")
        self.suite: str = self.content["suite"]

    def has(self, stage: str, key: str) -> bool:
        return key in (self.content.get(stage) or {})

    def entry(self, stage: str, key: str, model: type[Model]) -> Model:
        if not self.has(stage, key):
            known = self.content.get(stage) or {}
            raise UserError(f"{self.path}: {stage}: no entry '{key}'. {did_you_mean(key, known)}")
        return parse(model, self.content[stage][key], where=self.where(stage, key))

    def where(self, stage: str, key: str) -> str:
        """The beginning of a message about an entry."""
        return f"{self.path}: {stage}.{key}"

    def folder(self, stage: str, key: str) -> Path:
        """Where a stage writes."""
        return Path("results", self.suite, stage, key)


def packed_folder(data: str) -> Path:
    return Path("data", "packed", data)
