"""The attributes a split is made of."""

import numpy as np
import pandas as pd
import pytest

from protofair.core.errors import UserError
from protofair.data.split.attribute import attribute_values, first_value, value_name

TABLE = pd.DataFrame(
    {"id": list("abc"), "split": [""] * 3, "age": [34, 35, 36], "white": [0, 1, 1], "note": list("xyz")}
)


def test_a_threshold_belongs_to_the_upper_part() -> None:
    np.testing.assert_array_equal(attribute_values(TABLE, "age>=35"), [0, 1, 1])


def test_a_column_is_taken_as_it_is() -> None:
    np.testing.assert_array_equal(attribute_values(TABLE, "age"), [34, 35, 36])


@pytest.mark.parametrize("attribute", ["id", "split", "agee", "agee>=35", "age>35", "age>=-1", ""])
def test_what_is_no_attribute_is_refused(attribute: str) -> None:
    with pytest.raises(UserError, match="no attribute"):
        attribute_values(TABLE, attribute)


def test_values_that_are_no_integers_are_refused() -> None:
    with pytest.raises(UserError, match="attribute 'note' has values that are not integers"):
        attribute_values(TABLE, "note")


@pytest.mark.parametrize(("attribute", "values"), [("gender", [1, 2]), ("gender", [-1, 1]), ("white", [2, 3])])
def test_values_that_have_no_name_are_refused(attribute: str, values: list[int]) -> None:
    with pytest.raises(UserError, match=rf"attribute '{attribute}' has values other than 0 \(.*\), 1 \(.*\)\. Recode"):
        attribute_values(pd.DataFrame({"id": ["a", "b"], attribute: values}), attribute)


@pytest.mark.parametrize(
    ("attribute", "values", "first"),
    [("white", [0, 1], 1), ("race", [0, 4], 0), ("age>=35", [0, 1], 0), ("x", [3, 2], 2)],
)
def test_the_first_value_is_the_lowest_or_white(attribute: str, values: list[int], first: int) -> None:
    assert first_value(attribute, np.array(values)) == first


@pytest.mark.parametrize(
    ("attribute", "value", "name"),
    [
        ("gender", 1, "female"),
        ("white", 0, "non-White"),
        ("race", 2, "Asian"),
        ("age>=35", 0, "age<35"),
        ("age>=35", 1, "age>=35"),
        ("Male", 1, "Male=1"),
    ],
)
def test_values_have_names(attribute: str, value: int, name: str) -> None:
    assert value_name(attribute, value) == name
