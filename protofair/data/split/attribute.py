"""The attributes a split is made of: a column of the label table, or a column cut at a threshold, as in `age>=35`."""

import re

import numpy as np
import pandas as pd

from protofair.core.errors import UserError
from protofair.core.strict import did_you_mean
from protofair.data.utkface import GENDERS, RACES

MAX_VALUES = 10
CUT = re.compile(r"(?P<column>.+?)>=(?P<threshold>[0-9]+)")
NAMES = {"gender": GENDERS, "race": RACES, "white": ("non-White", "White")}


def attribute_values(table: pd.DataFrame, attribute: str) -> np.ndarray:
    """The values of an attribute, int64 [N]; `age>=35` is 1 where the column `age` is at least 35, else 0."""
    cut = CUT.fullmatch(attribute)
    column = cut["column"] if cut else attribute
    known = [name for name in table.columns if name not in ("id", "split")]
    if column not in known:
        raise UserError(f"split: no attribute '{column}'. {did_you_mean(column, known)}")
    if not pd.api.types.is_integer_dtype(table[column]):
        raise UserError(f"split: attribute '{column}' has values that are not integers. Give them as 0, 1, ...")
    values = table[column].to_numpy(dtype=np.int64)
    names = NAMES.get(attribute)
    if names and not np.isin(values, range(len(names))).all():
        named = ", ".join(f"{value} ({name})" for value, name in enumerate(names))
        raise UserError(f"split: attribute '{attribute}' has values other than {named}. Recode or rename the column.")
    if cut:
        values = (values >= int(cut["threshold"])).astype(np.int64)
    count = len(np.unique(values))
    if count < 2:
        raise UserError(f"split: attribute '{attribute}' has the same value in every image. Choose another.")
    if count > MAX_VALUES:
        raise UserError(f"split: attribute '{attribute}' has {count} values. Cut it at a threshold: '{column}>=35'.")
    return values


def first_value(attribute: str, values: np.ndarray) -> int:
    """The value that counts as first: the lowest (male; White in `race`; below the threshold), but White in `white`."""
    return 1 if attribute == "white" else int(values.min())


def value_name(attribute: str, value: int) -> str:
    """A value in words where it has some: 'female', 'non-White', 'age<35', 'Male=1'."""
    if attribute in NAMES:
        return NAMES[attribute][value]
    cut = CUT.fullmatch(attribute)
    if cut:
        return attribute if value else f"{cut['column']}<{cut['threshold']}"
    return f"{attribute}={value}"
