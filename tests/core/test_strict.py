"""Configuration that refuses what it does not know."""

import math
from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import Field, ValidationError

from protofair.core.errors import UserError
from protofair.core.strict import Strict, did_you_mean, parse, read_yaml


class Inner(Strict):
    momentum: float = Field(0.9, ge=0, lt=1)


class Cat(Strict):
    kind: Literal["cat"]
    purr: int = 1


class Dog(Strict):
    kind: Literal["dog"]
    bark: int = 1


class Outer(Strict):
    name: str
    inner: Inner = Inner()
    pets: dict[str, list[Annotated[Cat | Dog, Field(discriminator="kind")]]] = Field(default_factory=dict)


def test_a_valid_value_is_parsed_and_frozen():
    parsed = parse(Outer, {"name": "a", "inner": {"momentum": 0.5}}, where="file")
    assert parsed.inner.momentum == 0.5
    with pytest.raises(ValidationError):
        parsed.name = "b"


def test_every_problem_is_named_with_its_place_at_once():
    with pytest.raises(UserError) as error:
        parse(Outer, {"inner": {"momentun": 0.5, "momentum": 1.5}, "nmae": "a"}, where="params/x.yaml")
    lines = str(error.value).splitlines()
    assert len(lines) == 4
    assert all(line.startswith("params/x.yaml: ") for line in lines)
    assert any("'name' is missing" in line for line in lines)
    assert any("unknown key 'nmae'. Did you mean 'name'?" in line for line in lines)
    assert any("unknown key 'inner.momentun'. Did you mean 'momentum'?" in line for line in lines)
    assert any("'inner.momentum'" in line and "less than 1" in line and "1.5" in line for line in lines)


class Rates(Strict):
    lr: float = Field(0.1, gt=0)
    sizes: tuple[float, ...] = ()


@pytest.mark.parametrize("value", [{"lr": math.inf}, {"lr": math.nan}, {"sizes": [math.inf]}])
def test_what_is_not_finite_is_refused(value):
    with pytest.raises(UserError, match=rf"file: '{next(iter(value))}.*finite number"):
        parse(Rates, value, where="file")


def test_the_nearest_key_is_found_through_mappings_lists_and_unions():
    with pytest.raises(UserError, match=r"unknown key 'pets.home.0.cat.pur'. Did you mean 'purr'\?"):
        parse(Outer, {"name": "a", "pets": {"home": [{"kind": "cat", "pur": 2}]}}, where="file")


def test_a_word_unlike_any_known_one_gets_the_list():
    assert did_you_mean("zzz", ["Male", "Young"]) == "Known: Male, Young."
    assert did_you_mean("zzz", []) == "There is none."
    assert did_you_mean("zzz", [str(number) for number in range(100, 150)]).endswith(", 139 and 10 more.")


def test_a_missing_or_malformed_file_is_a_users_error(tmp_path: Path):
    with pytest.raises(UserError, match="no such file"):
        read_yaml(tmp_path / "absent.yaml")
    (tmp_path / "bad.yaml").write_text("a: [1, 2\nb: 3\n")
    with pytest.raises(UserError, match=r"bad.yaml: not valid YAML: .*line 2"):
        read_yaml(tmp_path / "bad.yaml")


def test_a_folder_or_a_binary_file_is_no_yaml(tmp_path: Path):
    with pytest.raises(UserError, match=r"cannot be read \(Is a directory\)"):
        read_yaml(tmp_path)
    (tmp_path / "x.yaml").write_bytes(b"\xff\xfe\x00\x81")
    with pytest.raises(UserError, match=r"x\.yaml: not a text file"):
        read_yaml(tmp_path / "x.yaml")


def test_a_key_that_is_there_twice_is_refused(tmp_path: Path):
    path = tmp_path / "suite.yaml"
    path.write_text("fair:\n  weight: 0.3\n  epochs: 5\n  weight: 1.0\n")
    with pytest.raises(UserError, match=r"suite.yaml: .*'weight' is there twice.*line 4"):
        read_yaml(path)


@pytest.mark.parametrize("key", ["count", "rate"])
def test_yes_is_no_number(key: str):
    """To YAML `yes` and `true` are the same, and to Python that is 1."""

    class Options(Strict):
        count: int | None = 3
        rate: float = 0.1
        sure: bool | None = None

    assert parse(Options, {"sure": True, "rate": "1e-4"}, where="file").rate == 1e-4
    with pytest.raises(UserError, match=rf"^file: '{key}': expected a value, not true.$"):
        parse(Options, {key: True}, where="file")
