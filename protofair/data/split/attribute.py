"""The attributes a split is made of: a column of the label table, or a column cut at a threshold, as in `age>=35`."""

import re

import numpy as np
import pandas as pd

from protofair.errors import UserError
from protofair.strict import did_you_mean

MAX_VALUES = 10
CUT = re.compile(r"(?P<column>.+?)>=(?P<threshold>\d+)")


def attribute_values(table: pd.DataFrame, attribute: str) -> np.ndarray:
    """The values of `attribute`, int64 [N]; `age>=35` is 1 where the column `age` is at least 35, else 0."""
    cut = CUT.fullmatch(attribute)
    column = cut["column"] if cut else attribute
    known = [name for name in table.columns if name not in ("id", "split")]
    if column not in known:
        raise UserError(f"no attribute '{column}'. {did_you_mean(column, known)}")
    values = table[column].to_numpy(dtype=np.int64)
    if cut:
        values = (values >= int(cut["threshold"])).astype(np.int64)
    count = len(np.unique(values))
    if count < 2:
        raise UserError(f"attribute '{attribute}' has the same value for every image. Choose another.")
    if count > MAX_VALUES:
        raise UserError(f"attribute '{attribute}' has {count} values. Cut it at a threshold, as in '{column}>=35'.")
    return values


def first_value(attribute: str, values: np.ndarray) -> int:
    """The value that counts as first: the lowest (male, White in `race`, below a threshold), but White in `white`."""
    return 1 if attribute == "white" else int(values.min())
