from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protofair.core.errors import UserError
from protofair.data.attributes import CELEBA
from protofair.data.prepare.celeba import read_attributes, read_celeba, read_partition

names = st.integers(0, 999_999).map(lambda number: f"{number:06d}.jpg")
values = st.tuples(*[st.sampled_from([0, 1])] * len(CELEBA))
tables = st.dictionaries(names, values, max_size=8)
gaps = st.sampled_from([" ", "  ", "   ", "\t"])
ends = st.sampled_from(["\n", "\r\n"])


def text(table: dict[str, tuple[int, ...]], *, gap: str = " ", end: str = "\n", header: list[str] | None = None) -> str:
    """The official form: a count, the names with a space at the end, padded values."""
    header = list(CELEBA) if header is None else header
    rows = [
        name + gap + gap.join(f"{2 * dict(zip(CELEBA, row, strict=True)).get(column, 0) - 1:2d}" for column in header)
        for name, row in table.items()
    ]
    return end.join([str(len(table)), gap.join(header) + " ", *rows, ""])


def read(content: str, suffix: str = ".txt") -> tuple[dict, list]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"list_attr_celeba{suffix}"
        path.write_bytes(content.encode())
        return read_attributes(path)


@given(tables, gaps, ends)
def test_the_official_table_is_read_back(table: dict[str, tuple[int, ...]], gap: str, end: str) -> None:
    assert read(text(table, gap=gap, end=end)) == (table, [])


@given(tables, ends, st.permutations(CELEBA))
def test_the_csv_form_is_read_back_whatever_the_order_of_its_columns(
    table: dict[str, tuple[int, ...]], end: str, order: list[str]
) -> None:
    where = [CELEBA.index(name) for name in order]
    rows = [",".join([name, *(str(2 * row[column] - 1) for column in where)]) for name, row in table.items()]
    assert read(end.join([",".join(["image_id", *order]), *rows, ""]), ".csv") == (table, [])


@given(st.dictionaries(names, st.sampled_from(["train", "val", "test"]), max_size=20), gaps, ends, st.booleans())
def test_the_partition_is_read_back(table: dict[str, str], gap: str, end: str, as_csv: bool) -> None:
    numbers = {"train": 0, "val": 1, "test": 2}
    rows = [f"{name}{',' if as_csv else gap}{numbers[split]}" for name, split in table.items()]
    with TemporaryDirectory() as folder:
        path = Path(folder) / ("list_eval_partition.csv" if as_csv else "list_eval_partition.txt")
        path.write_bytes(end.join([*(["image_id,partition"] if as_csv else []), *rows, ""]).encode())
        assert read_partition(path) == (table, [])


ONE = {"000001.jpg": (1,) * 40, "000002.jpg": (0,) * 40}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", r"line 1: the number of images must stand here"),
        ("000001.jpg 1 1\n", r"line 1: the number of images must stand here"),
        (text(ONE).replace("Big_Nose", "Big_Nsoe"), r"line 2: unknown attribute 'Big_Nsoe'. Did you mean 'Big_Nose'"),
        (text(ONE).replace("Young", "Male"), r"line 2: 40 attribute names, not each of the 40 once"),
        (text(ONE).replace(" Young", ""), r"line 2: 39 attribute names, not each of the 40 once"),
        (text(ONE).replace("000002.jpg -1", "000002.jpg"), r"line 4: 40 columns, not a name and 40 attributes"),
        (text(ONE).replace("000002.jpg -1", "000002.jpg  0"), r"line 4: value '0' is not -1 or 1"),
        (text(ONE).replace("2\n", "3\n", 1), r"2 rows, but its first line says 3"),
    ],
)
def test_a_malformed_table_names_its_line(content: str, message: str) -> None:
    with pytest.raises(UserError, match=r"list_attr_celeba\.txt: " + message):
        read(content)


@given(st.text(max_size=200))
def test_no_text_at_all_causes_anything_but_a_clear_error(content: str) -> None:
    with pytest.raises(UserError, match="list_attr_celeba"):
        read(content)


@pytest.mark.parametrize(("row", "message"), [("a.jpg 3", "partition '3' is not 0, 1 or 2"), ("a.jpg", "1 columns")])
def test_a_malformed_partition_names_its_line(row: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "list_eval_partition.txt"
    path.write_text(f"x.jpg 0\n{row}\n")
    with pytest.raises(UserError, match=rf"list_eval_partition\.txt: line 2: {message}"):
        read_partition(path)


def write_set(folder: Path, *, partition: dict[str, int], identity: dict[str, int] | None = None) -> None:
    table = {f"{number:06d}.jpg": tuple((number + i) % 2 for i in range(40)) for number in (3, 1, 2)}
    (folder / "list_attr_celeba.txt").write_text(text(table))
    (folder / "list_eval_partition.txt").write_text("".join(f"{name} {part}\r\n" for name, part in partition.items()))
    if identity is not None:
        (folder / "identity_CelebA.txt").write_text("".join(f"{name} {who}\n" for name, who in identity.items()))


def test_the_set_is_sorted_by_name_with_the_official_partition(tmp_path: Path) -> None:
    write_set(tmp_path, partition={"000003.jpg": 0, "000002.jpg": 1, "000001.jpg": 2})
    labelled = read_celeba(tmp_path)
    table = labelled.table
    assert list(table.columns) == ["id", "split", *CELEBA]
    assert list(table["id"]) == ["000001.jpg", "000002.jpg", "000003.jpg"]
    assert list(table["split"]) == ["test", "val", "train"]
    assert np.array_equal(table.loc[1, list(CELEBA)].to_numpy(), [i % 2 for i in range(40)])
    assert labelled.problems == []


def test_rows_that_one_table_alone_has_are_problems(tmp_path: Path) -> None:
    write_set(tmp_path, partition={"000001.jpg": 0, "000002.jpg": 0, "000009.jpg": 0})
    labelled = read_celeba(tmp_path)
    assert list(labelled.table["id"]) == ["000001.jpg", "000002.jpg"]
    assert labelled.total == 3
    assert {(problem.kind, problem.id) for problem in labelled.problems} == {
        ("no-split", "000003.jpg"),
        ("no-label", "000009.jpg"),
    }


def test_a_person_in_two_splits_is_refused(tmp_path: Path) -> None:
    identity = {"000001.jpg": 7, "000002.jpg": 8, "000003.jpg": 7}
    write_set(tmp_path, partition={"000001.jpg": 0, "000002.jpg": 2, "000003.jpg": 0}, identity=identity)
    assert len(read_celeba(tmp_path).table) == 3
    write_set(tmp_path, partition={"000001.jpg": 0, "000002.jpg": 2, "000003.jpg": 2}, identity=identity)
    with pytest.raises(
        UserError, match=r"identity_CelebA\.txt: line 3: person 7 is in train and, with 000003\.jpg, in test"
    ):
        read_celeba(tmp_path)


def test_a_missing_table_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no list_attr_celeba\.txt or list_attr_celeba\.csv.*protofair acquire"):
        read_celeba(tmp_path)
