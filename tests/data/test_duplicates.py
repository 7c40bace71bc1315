"""Groups of byte-identical files, and what is kept of them."""

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from protofair.data.duplicates import Group, duplicate_groups, without_duplicates

COLUMNS = ["id", "age", "gender", "race", "white"]


def table_of(*rows: tuple[str, int, int, int, int]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=COLUMNS)


def test_groups_by_hand() -> None:
    table = table_of(
        ("g", 30, 0, 0, 1),  # alone
        ("b", 21, 1, 0, 1),
        ("a", 20, 1, 0, 1),  # the age disagrees
        ("d", 20, 0, 1, 0),
        ("c", 20, 1, 1, 0),  # the gender disagrees
        ("f", 20, 0, 2, 0),
        ("e", 20, 0, 1, 0),  # Black and Asian: both are non-White
        ("i", 20, 0, 1, 0),
        ("h", 20, 0, 0, 1),  # White and Black
        ("k", 20, 0, 0, 1),
        ("j", 20, 0, 0, 1),
        ("l", 20, 0, 0, 1),  # three of the same
    )
    groups = duplicate_groups(table, ["0", "1", "1", "2", "2", "3", "3", "4", "4", "5", "5", "5"])
    assert groups == [
        Group(("a", "b"), ("age",), "a"),
        Group(("c", "d"), ("gender",), None),
        Group(("e", "f"), ("race",), "e"),
        Group(("h", "i"), ("race", "white"), None),
        Group(("j", "k", "l"), (), "j"),
    ]
    assert list(without_duplicates(table, groups)["id"]) == ["g", "a", "e", "j"]


def test_the_decisive_labels_are_those_of_the_split() -> None:
    table = table_of(("a", 20, 0, 1, 0), ("b", 20, 1, 2, 0))
    assert duplicate_groups(table, ["0", "0"], decisive=("age", "white"))[0].kept == "a"
    assert duplicate_groups(table, ["0", "0"], decisive=("age", "race"))[0].kept is None


def test_no_duplicates_no_groups() -> None:
    table = table_of(("a", 20, 0, 1, 0), ("b", 20, 1, 2, 0))
    assert duplicate_groups(table, ["0", "1"]) == []
    assert duplicate_groups(table[:0], []) == []
    pd.testing.assert_frame_equal(without_duplicates(table, []), table)


files = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2), st.integers(0, 1), st.integers(0, 2)), max_size=30)


@given(files, st.randoms())
def test_no_bytes_stay_twice_and_nothing_else_goes(rows: list[tuple[int, int, int, int]], random: object) -> None:
    named = [(f"{place:02}", *row, int(row[3] == 0)) for place, row in enumerate(rows)]
    random.shuffle(named)
    table = pd.DataFrame(named, columns=["id", "digest", "age", "gender", "race", "white"])
    digest = dict(zip(table["id"], table["digest"].astype(str), strict=True))
    labels = table.drop(columns="digest")
    kept = without_duplicates(labels, duplicate_groups(labels, list(digest.values())))

    expected = set()
    for value in set(digest.values()):
        same = sorted(name for name in digest if digest[name] == value)
        decisive = {(row.gender, row.white) for row in labels[labels["id"].isin(same)].itertuples()}
        if len(decisive) == 1:
            expected.add(same[0])
    assert set(kept["id"]) == expected
    assert len(kept) == len(expected)
