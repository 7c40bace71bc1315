"""An attribute of a packed set as classes to predict: its values, and every image's class."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protofair.core.errors import UserError
from protofair.core.packed import Packed

Ints = NDArray[np.int64]
# More values than this are a number (an age, a patient), not classes.
MOST_CLASSES = 16


@dataclass(frozen=True)
class Labels:
    """Class c is the attribute's value `class_values[c]`; `classes` holds the class numbers [n] of each split."""

    class_values: tuple[int, ...]
    classes: Mapping[str, Ints]


def split_rows(packed: Packed) -> dict[str, Ints]:
    """The rows of the splits a probe uses: training and test always, validation where there is one."""
    rows = {split: packed.rows(split) for split in ("train", "val", "test")}
    for split in ("train", "test"):
        if len(rows[split]) == 0:
            raise UserError(
                f"{packed.path / 'labels.csv'}: split: no image is in '{split}'. Prepare the data set again."
            )
    return {split: found for split, found in rows.items() if len(found)}


def read_labels(packed: Packed, attribute: str, rows: Mapping[str, Ints]) -> Labels:
    """The classes of an attribute; one that cannot be predicted as classes is a `UserError`."""
    found = {split: packed.values(attribute, rows[split]) for split in rows}
    values = np.unique(np.concatenate(list(found.values())))
    if len(values) > MOST_CLASSES:
        raise UserError(
            f"{packed.path}: attribute '{attribute}' has {len(values)} values; a probe predicts at most {MOST_CLASSES}"
            " classes. Choose an attribute with classes."
        )
    if len(np.unique(found["train"])) < 2:
        raise UserError(
            f"{packed.path}: attribute '{attribute}' is {found['train'][0]} in every training image: nothing to learn."
            " Choose another attribute, or prepare more images."
        )
    classes = {split: np.searchsorted(values, column) for split, column in found.items()}
    return Labels(tuple(values.tolist()), classes)
