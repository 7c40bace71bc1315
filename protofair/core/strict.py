"""Configuration: frozen models that refuse what they do not know, and say what was probably meant."""

import difflib
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

import yaml
from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, ValidationError, model_validator
from pydantic_core import ErrorDetails, core_schema

from protofair.core.errors import UserError

MANY = 40  # as many as CelebA has attributes
Model = TypeVar("Model", bound="Strict")
Seed = Annotated[int, Field(ge=0, lt=2**32)]
KEY = r"^[A-Za-z0-9][A-Za-z0-9_.-]*$"
Rate = Annotated[float, Field(gt=0, le=1e38)]  # of learning; float32 goes no further
Key = Annotated[str, Field(pattern=KEY)]  # names an entry of the plan, and a file or folder


class Strict(BaseModel):
    """Base of every configuration: immutable; an unknown key is an error, and so is a number without end."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _no_yes_for_a_number(cls, values: Any) -> Any:
        """To YAML yes is true, and to pydantic true is 1."""
        for name, value in values.items() if isinstance(values, dict) else ():
            field = cls.model_fields.get(name)
            if isinstance(value, bool) and field and bool not in _members(field.annotation):
                raise ValueError(f"'{name}': expected a value, not {str(value).lower()}")
        return values


class Of:
    """Options that a model accepts, kept as they are written: only what is written overrides anything."""

    def __init__(self, model: type[Strict]) -> None:
        self.model = model

    def __get_pydantic_core_schema__(self, _: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        def keep(value: Any, check: core_schema.ValidatorFunctionWrapHandler) -> Any:
            check(value)
            return value

        written = core_schema.plain_serializer_function_ser_schema(dict)
        return core_schema.no_info_wrap_validator_function(
            keep, handler.generate_schema(self.model), serialization=written
        )


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of an error message about an unknown word: the nearest known one, or all of them if they are not many."""
    known = sorted(known)
    if not known:
        return "There is none."
    nearest = difflib.get_close_matches(word, known, n=1)
    if nearest:
        return f"Did you mean '{nearest[0]}'?"
    more = f" and {len(known) - MANY} more" if len(known) > MANY else ""
    return f"Known: {', '.join(known[:MANY])}{more}."


def parse(model: type[Model], value: Any, *, where: str) -> Model:
    """Validate `value`; every problem at once, each on a line that starts with `where` and names the key."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise UserError("\n".join(f"{where}: {text}" for _, text in problems(model, error))) from None


class _Loader(yaml.CSafeLoader):
    """Refuses a key that is there twice, of which YAML would silently take the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            name = str(key.value)
            if name in seen:
                raise yaml.constructor.ConstructorError(None, None, f"'{name}' is there twice", key.start_mark)
            seen.add(name)
        return super().construct_mapping(node, deep)


def read_yaml(path: Path, *, missing: str = "Name one that is there") -> Any:
    """The content of a YAML file; a missing, unreadable or malformed one is a `UserError` with the line."""
    try:
        # The parser in C: the one in Python takes a second for the paper's plan.
        return yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)
    except FileNotFoundError:
        raise UserError(f"{path}: no such file. {missing}.") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}). Name a YAML file.") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: not a text file. Name a YAML file.") from None
    except yaml.YAMLError as error:
        raise UserError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from None


def causes(error: ValidationError) -> list[ErrorDetails]:
    """The problems of a failed validation without those that follow from others: a list is too short without what is
    refused of it."""
    found = error.errors()
    inside = {other["loc"][:depth] for other in found for depth in range(len(other["loc"]))}
    return [problem for problem in found if problem["type"] != "too_short" or problem["loc"] not in inside]


def problems(model: type[BaseModel], error: ValidationError) -> Iterator[tuple[tuple[int | str, ...], str]]:
    """Each problem of a failed validation: where in the value it is, and a sentence about it."""
    for problem in causes(error):
        where = problem["loc"]
        key = ".".join(str(part) for part in where)
        if problem["type"] == "extra_forbidden":
            yield where, f"unknown key '{key}'. {did_you_mean(str(where[-1]), _fields_at(model, where[:-1]))}"
        elif problem["type"] == "missing":
            yield where, f"'{key}' is missing."
        elif problem["type"] == "value_error" and not where:  # about the whole: its sentence says all
            yield where, f"{problem['msg'].removeprefix('Value error, ')}."
        else:
            yield where, f"'{key}': {problem['msg'].removeprefix('Value error, ')} (got {problem['input']!r})."


def _fields_at(model: type[BaseModel], location: Iterable[int | str]) -> list[str]:
    """The keys known at a place of a nested model, through lists, mappings and unions told apart by a name."""
    places: list[Any] = [model]
    for part in location:
        places = [child for place in places for child in _children(place, part)]
    members = [member for place in places for member in _members(place)]
    return [name for member in members if _is_model(member) for name in member.model_fields]


def _children(place: Any, part: int | str) -> list[Any]:
    """What stands at `part` of a type; the tag of a union selects a member and leads no deeper."""
    found = []
    for member in _members(place):
        if _is_model(member):
            if part in member.model_fields:
                field = member.model_fields[part]
                found += [mark.model for mark in field.metadata if isinstance(mark, Of)] or [field.annotation]
            elif any(part in get_args(field.annotation) for field in member.model_fields.values()):
                found.append(member)
        elif get_args(member):
            found.append(get_args(member)[-1 if get_origin(member) is dict else 0])
    return found


def _members(place: Any) -> list[Any]:
    """The members of a union, or the type itself."""
    if get_origin(place) is Annotated:
        kind, *marks = get_args(place)
        return [mark.model for mark in marks if isinstance(mark, Of)] or _members(kind)
    if get_origin(place) in (Union, UnionType):
        return [member for part in get_args(place) for member in _members(part)]
    return [place]


def _is_model(place: Any) -> bool:
    return isinstance(place, type) and issubclass(place, BaseModel)
