"""UTKFace's file names."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protofair.data.utkface import RACES, Face, label_table, parse_name

digits = st.text("0123456789", min_size=16, max_size=18)
endings = st.sampled_from([".jpg.chip.jpg", " .jpg.chip.jpg", "jpg.chip.jpg"])
names = st.builds("{}_{}_{}_{}{}".format, st.integers(0, 116), st.integers(0, 1), st.integers(0, 4), digits, endings)


@given(st.integers(0, 116), st.integers(0, 1), st.integers(0, 4), digits, endings)
def test_every_label_of_a_good_name_is_read(age: int, gender: int, race: int, stamp: str, ending: str) -> None:
    assert parse_name(f"{age}_{gender}_{race}_{stamp}{ending}") == Face(age, gender, race)


@pytest.mark.parametrize(
    ("name", "face"),
    [
        ("14_0_0_2017011022340900.jpg.chip.jpg", Face(14, 0, 0)),  # a stamp of 16 digits
        ("28_1_2_201701161846515488.jpg.chip.jpg", Face(28, 1, 2)),  # of 18
        ("24_0_1_20170116220224657 .jpg.chip.jpg", Face(24, 0, 1)),  # a space
        ("55_0_0_20170116232725357jpg.chip.jpg", Face(55, 0, 0)),  # no dot
    ],
)
def test_the_odd_names_of_the_official_set_are_read(name: str, face: Face) -> None:
    assert parse_name(name) == face


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("39_1_20170116174525125.jpg.chip.jpg", "no race field"),
        ("61_1_20170109142408075.jpg.chip.jpg", "no race field"),
        ("61_1_20170109150557335.jpg.chip.jpg", "no race field"),
        ("117_0_0_20170109150557335.jpg.chip.jpg", "age 117 is not in 0 to 116"),
        ("20_2_0_20170109150557335.jpg.chip.jpg", "gender 2 is not 0 (male) or 1 (female)"),
        ("20_0_5_20170109150557335.jpg.chip.jpg", "race 5 is not in 0 to 4"),
    ],
)
def test_a_name_with_a_label_missing_or_out_of_range_is_rejected_with_the_reason(name: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        parse_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "20_0_0.jpg.chip.jpg",
        "20_0_0_20170109150557335.jpg",
        "20_0_0_20170109150557335.JPG.chip.jpg",
        "20_0_0_20170109150557335..jpg.chip.jpg",
        "20_0_0_20170109150557335 jpg.chip.jpg",
        "20_0_0_201701091505573.jpg.chip.jpg",
        "20_0_0_2017010915055733512.jpg.chip.jpg",
        "020_0_0_20170109150557335.jpg.chip.jpg",
        "-1_0_0_20170109150557335.jpg.chip.jpg",
        "٢٠_0_0_20170109150557335.jpg.chip.jpg",
        "UTKFace/20_0_0_20170109150557335.jpg.chip.jpg",
        "20_0_0_20170109150557335.jpg.chip.jpg\n",
    ],
)
def test_anything_else_is_rejected(name: str) -> None:
    with pytest.raises(ValueError, match="not of the form"):
        parse_name(name)


@given(names, st.data())
def test_a_damaged_name_is_rejected_or_read_as_it_stands(name: str, data: st.DataObject) -> None:
    """One character lost or added anywhere: no label may come from the wrong field."""
    place = data.draw(st.integers(0, len(name) - 1))
    damaged = data.draw(
        st.sampled_from([name[:place] + name[place + 1 :]])
        | st.characters(codec="utf-8").map(lambda character: name[:place] + character + name[place:])
    )
    try:
        face = parse_name(damaged)
    except ValueError:
        return
    assert damaged.split("_")[:3] == [str(face.age), str(face.gender), str(face.race)]
    assert damaged.count("_") == 3


@given(st.sets(names | st.text(max_size=5)))
def test_the_table_has_every_name_or_a_reason_for_it(given_names: set[str]) -> None:
    table, rejected = label_table(given_names)
    assert sorted([*table["id"], *rejected]) == sorted(given_names)
    assert list(table["id"]) == sorted(table["id"])
    for row in table.itertuples():
        assert (row.age, row.gender, row.race) == tuple(int(part) for part in row.id.split("_")[:3])
        assert row.white == (RACES[row.race] == "White")


def test_an_empty_table_has_its_columns() -> None:
    table, rejected = label_table([])
    assert list(table.columns) == ["id", "age", "gender", "race", "white"]
    assert rejected == {}
