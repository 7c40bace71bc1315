"""Configuration: frozen models that refuse what they do not know, and say what was probably meant."""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from protofair.errors import UserError

Model = TypeVar("Model", bound="Strict")


class Strict(BaseModel):
    """Base of every configuration: immutable, and an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of an error message about an unknown word: the nearest known one, or all of them."""
    known = sorted(known)
    nearest = difflib.get_close_matches(word, known, n=1)
    return f"Did you mean '{nearest[0]}'?" if nearest else f"Known: {', '.join(known)}."


def parse(model: type[Model], value: Any, *, where: str) -> Model:
    """Validate `value`; every problem at once, each on a line that starts with `where` and names the key."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise UserError("\n".join(f"{where}: {text}" for _, text in problems(model, error))) from None


def read_yaml(path: Path) -> Any:
    """The content of a YAML file; a missing or malformed one is a `UserError` with the line."""
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{path}: no such file.") from None
    except yaml.YAMLError as error:
        raise UserError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from None


def problems(model: type[BaseModel], error: ValidationError) -> Iterator[tuple[tuple[int | str, ...], str]]:
    """Each problem of a failed validation: where in the value it is, and a sentence about it."""
    for problem in error.errors():
        where = problem["loc"]
        key = ".".join(str(part) for part in where)
        if problem["type"] == "extra_forbidden":
            yield where, f"unknown key '{key}'. {did_you_mean(str(where[-1]), _fields_at(model, where[:-1]))}"
        elif problem["type"] == "missing":
            yield where, f"'{key}' is missing."
        else:
            yield where, f"'{key}': {problem['msg']} (got {problem['input']!r})."


def _fields_at(model: type[BaseModel], location: Iterable[Any]) -> list[str]:
    """The keys known at a place of a nested model."""
    for part in location:
        fields: Mapping[str, Any] = model.model_fields
        annotation = fields[part].annotation if part in fields else None
        if not (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
            return []
        model = annotation
    return list(model.model_fields)
