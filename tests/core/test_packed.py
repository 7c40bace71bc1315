"""Opening a packed set: what fits together opens, what does not is refused with a remedy."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from protofair.core.errors import UserError
from protofair.core.packed import Packed


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    np.save(tmp_path / "images.npy", np.arange(4 * 2 * 2 * 3, dtype=np.uint8).reshape(4, 2, 2, 3))
    (tmp_path / "labels.csv").write_text("id,split,Male,age\nNA,train,1,3\nb,val,0,4\nc,,1,5\nd,train,0,6\n")
    (tmp_path / "manifest.json").write_text('{"dataset": "celeba"}')
    return tmp_path


def test_rows_and_values_of_a_split(folder: Path):
    packed = Packed.open(folder)
    assert packed.rows("train").tolist() == [0, 3]
    assert packed.rows("test").tolist() == []
    assert packed.values("age", packed.rows("train")).tolist() == [3, 6]
    assert packed.attributes == ["Male", "age"]
    assert packed.manifest == {"dataset": "celeba"}
    assert packed.labels["id"].tolist() == ["NA", "b", "c", "d"], "an id that looks like 'not available' is still an id"


def test_images_stay_on_disk(folder: Path):
    assert isinstance(Packed.open(folder).images, np.memmap)


def test_an_unknown_attribute_names_the_nearest(folder: Path):
    packed = Packed.open(folder)
    with pytest.raises(UserError, match=r"no attribute 'Mael'. Did you mean 'Male'\?"):
        packed.values("Mael", packed.rows("train"))


@pytest.mark.parametrize("name", ["images.npy", "labels.csv", "manifest.json"])
def test_a_missing_file_is_named(folder: Path, name: str):
    (folder / name).unlink()
    with pytest.raises(UserError, match=rf"{name}: no such file. Prepare it first: protofair prepare {folder.name}"):
        Packed.open(folder)


def test_labels_that_do_not_fit_the_images_are_refused(folder: Path):
    (folder / "labels.csv").write_text("id,split,Male\na,train,1\n")
    with pytest.raises(UserError, match="4 images but 1 labels"):
        Packed.open(folder)


def test_a_torn_array_is_refused(folder: Path):
    content = (folder / "images.npy").read_bytes()
    (folder / "images.npy").write_bytes(content[: len(content) // 2])
    with pytest.raises(UserError, match="not a readable array"):
        Packed.open(folder)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "not a readable table"),
        ("id,split,Male\na,train,1\nb,train,1,2,3\n", "not a readable table"),
        ("id,Male\na,1\n", "no column 'split'"),
        ("id,split,Male\na,train,yes\n", "'Male' has values that are no whole numbers"),
        ("id,split,Male\na,train,1\nb,train,\n", "'Male' has values that are no whole numbers"),
    ],
    ids=["empty", "ragged", "no split", "text", "blank"],
)
def test_a_damaged_table_is_refused(folder: Path, content: str, message: str):
    (folder / "labels.csv").write_text(content)
    with pytest.raises(UserError, match=rf"labels.csv: .*{message}.*prepare it again"):
        Packed.open(folder)


@pytest.mark.parametrize("content", ["{", "[]", '"manifest"', '{"files": []}', '{"files": {"labels.csv": "x"}}'])
def test_a_damaged_manifest_is_refused(folder: Path, content: str):
    (folder / "manifest.json").write_text(content)
    with pytest.raises(UserError, match=r"manifest.json: not a readable manifest. Delete .* prepare it again"):
        Packed.open(folder)


def test_labels_that_are_not_those_the_manifest_records_are_refused(folder: Path):
    labels = folder / "labels.csv"
    recorded = hashlib.sha256(labels.read_bytes()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps({"files": {"labels.csv": {"sha256": recorded}}}))
    Packed.open(folder)
    labels.write_text(labels.read_text().replace("b,val,0", "b,val,1"))
    with pytest.raises(UserError, match=r"labels.csv: changed since it was prepared. Delete .* prepare it again"):
        Packed.open(folder)


def test_an_array_of_something_else_is_refused(folder: Path):
    for array in (np.zeros((4, 2, 2), np.uint8), np.zeros((4, 2, 2, 3))):
        np.save(folder / "images.npy", array)
        with pytest.raises(UserError, match=r"images.npy: .*not uint8 \[N, H, W, C\]"):
            Packed.open(folder)
    np.savez(folder / "images.npz", np.zeros(3))
    (folder / "images.npz").replace(folder / "images.npy")
    with pytest.raises(UserError, match="not a readable array"):
        Packed.open(folder)
    (folder / "images.npy").write_bytes(b"")
    with pytest.raises(UserError, match="not a readable array"):
        Packed.open(folder)
