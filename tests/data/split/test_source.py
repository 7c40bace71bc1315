"""Where the labels of a split come from."""

import tarfile
import zipfile
from pathlib import Path

import pytest

from protofair.core.errors import UserError
from protofair.data.duplicates import Group
from protofair.data.split.source import read_source

DECISIVE = ("gender", "white")
STAMP = "20170109150557335.jpg.chip.jpg"
FILES = {
    f"20_0_0_{STAMP}": b"one",
    f"21_0_0_{STAMP}": b"one",  # the same picture, another age
    f"22_1_0_{STAMP}": b"two",
    f"22_0_0_{STAMP}": b"two",  # the same picture, another gender
    f"36_1_1_{STAMP}": b"three",
    f"61_1_{STAMP}": b"four",  # no race
}
GROUPS = [
    Group((f"20_0_0_{STAMP}", f"21_0_0_{STAMP}"), ("age",), f"20_0_0_{STAMP}"),
    Group((f"22_0_0_{STAMP}", f"22_1_0_{STAMP}"), ("gender",), None),
]
KEPT = [f"20_0_0_{STAMP}", f"36_1_1_{STAMP}"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for place, (name, content) in enumerate(FILES.items()):
        path = tmp_path / "UTKFace" / f"part{place % 2}" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return tmp_path / "UTKFace"


def as_tar(folder: Path) -> Path:
    path = folder.with_suffix(".tar")
    with tarfile.open(path, "w") as archive:
        archive.add(folder, arcname="UTKFace")
    return path


def as_zip(folder: Path) -> Path:
    path = folder.with_suffix(".zip")
    with zipfile.ZipFile(path, "w") as archive:
        for file in folder.rglob("*.jpg"):
            archive.write(file, file.relative_to(folder.parent))
    return path


@pytest.mark.parametrize("form", [lambda folder: folder, as_tar, as_zip])
def test_images_are_compared_by_their_bytes(folder: Path, form: object) -> None:
    source = read_source(form(folder), decisive=DECISIVE)
    assert list(source.table["id"]) == KEPT
    assert source.duplicates == GROUPS
    assert source.rejected == {f"61_1_{STAMP}": "no race field"}
    assert source.summary().splitlines() == [
        f"61_1_{STAMP}: left out, no race field.",
        "2 groups of byte-identical files (4 files), 2 with labels that disagree. "
        "Left out whole since target or sensitive value disagree: 1. Of the others one file is kept.",
        "2 images to split.",
    ]


def test_a_cut_attribute_decides_as_cut(folder: Path) -> None:
    """20 and 21 years are one value of 'age>=35' and two of 'age>=21'."""
    assert read_source(folder, decisive=("age>=35", "white")).duplicates[0].kept == f"20_0_0_{STAMP}"
    assert read_source(folder, decisive=("age>=21", "white")).duplicates[0].kept is None


def test_a_list_of_names_is_taken_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("\r\n".join(f"UTKFace/{name}" for name in FILES), encoding="utf-8")
    source = read_source(tmp_path / "names.txt", decisive=DECISIVE)
    assert list(source.table["id"]) == sorted(FILES)[:-1]
    assert source.duplicates is None
    assert "Duplicates were not looked for" in source.summary()


def test_a_label_table_is_taken_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text("id,split,Male\n000001,,1\n000002,train,0\n", encoding="utf-8")
    table = read_source(tmp_path / "labels.csv", decisive=DECISIVE).table
    assert list(table["id"]) == ["000001", "000002"]
    assert list(table["Male"]) == [1, 0]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("names.txt", b"cat.jpg\n", "no file name of UTKFace in it"),
        ("names.txt", b"\xff\xfe\x00", "not a text file"),
        ("labels.csv", b"name,Male\nx,1\n", "no column 'id'"),
        ("labels.csv", b"", "not a label table"),
        ("labels.csv", b"id,Male\n", "no rows"),
        ("labels.csv", b"id,a\n1,2,3\n1,2,3,4\n", "not a label table"),
        ("UTKFace.tar.gz", b"\x1f\x8b", "First: gunzip --keep"),
        ("UTKFace.rar", b"", "give a folder, a .tar or .zip"),
        ("UTKFace.tar", b"<html>", "not a whole tar archive"),
    ],
)
def test_what_cannot_be_read_is_refused(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError) as caught:
        read_source(tmp_path / name, decisive=DECISIVE)
    assert str(caught.value).startswith(str(tmp_path / name))
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["x.csv", "x.txt"])
def test_a_folder_is_a_folder_whatever_its_name(name: str, folder: Path) -> None:
    assert list(read_source(folder.rename(folder.with_name(name)), decisive=DECISIVE).table["id"]) == KEPT


def test_a_missing_source_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file or folder"):
        read_source(tmp_path / "absent", decisive=DECISIVE)


def test_a_name_in_two_places_of_an_archive_is_refused(folder: Path) -> None:
    (folder / "part9").mkdir()
    (folder / "part9" / KEPT[0]).write_bytes(b"other")
    with pytest.raises(UserError, match=f"'{KEPT[0]}' is there twice"):
        read_source(as_tar(folder), decisive=DECISIVE)
