import math

import pandas as pd

from protofair.data.prepare.labelled import Labelled, column_of, majority, match, with_cuts
from protofair.data.prepare.problems import Problem


def test_rows_and_images_are_matched_by_name() -> None:
    table = pd.DataFrame({"id": ["a", "b", "c"], "x": [0, 1, 0]})
    labelled = Labelled(table, 5, [Problem("no-split", "d", "known")], {}, {"not wanted": ["f"]})
    matched = match(labelled, ["c", "a", "d", "e", "f"])
    assert matched.table.to_dict("list") == {"id": ["a", "c"], "x": [0, 0]}
    assert {(problem.kind, problem.id) for problem in matched.problems} == {
        ("no-split", "d"),
        ("no-image", "b"),
        ("no-label", "e"),
    }


def test_cuts_become_columns() -> None:
    table = with_cuts(pd.DataFrame({"age": [59, 60, 61]}), ["age>=60", "sex", "height>=3"])
    assert table.to_dict("list") == {"age": [59, 60, 61], "age_60": [0, 1, 1]}
    assert column_of("age>=60") == "age_60"
    assert column_of("sex") == "sex"


def test_majority() -> None:
    assert majority(pd.Series([0, 0, 0, 2])) == 75
    assert math.isnan(majority(pd.Series([], dtype=int)))
