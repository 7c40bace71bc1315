from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from protofair.core.errors import UserError
from protofair.core.packed import Packed
from protofair.probe.labels import read_labels, split_rows


@pytest.fixture
def packed(world):
    return Packed.open(Path("data/packed/tiny"))


def test_classes_number_the_values_in_order(packed):
    rows = split_rows(packed)
    labels = read_labels(packed, "race", rows)
    assert labels.class_values == (0, 1, 4)
    for split, found in rows.items():
        np.testing.assert_array_equal(
            np.array(labels.class_values)[labels.classes[split]], packed.values("race", found)
        )


def test_a_value_seen_only_in_the_test_set_is_a_class_too(packed):
    table = packed.labels
    table["rare"] = np.where(table["split"] == "train", table["Male"], 2)
    assert read_labels(replace(packed, labels=table), "rare", split_rows(packed)).class_values == (0, 1, 2)


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        ("Mael", "no attribute 'Mael'. Did you mean 'Male'"),
        ("age", "'age' has .* values; a probe predicts at most 16 classes"),
        ("always", "'always' is 1 in every training image"),
    ],
)
def test_what_cannot_be_predicted_is_refused(packed, attribute, message):
    with pytest.raises(UserError, match=message):
        read_labels(packed, attribute, split_rows(packed))


def test_validation_may_be_absent_but_training_and_test_may_not(packed):
    def without(split):
        path = packed.path / "labels.csv"
        table = pd.read_csv(path)
        return replace(packed, labels=table.replace({"split": {split: ""}}))

    assert list(split_rows(without("val"))) == ["train", "test"]
    for split in ("train", "test"):
        with pytest.raises(UserError, match=f"labels.csv: split: no image is in '{split}'"):
            split_rows(without(split))
