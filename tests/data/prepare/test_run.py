import errno
import fcntl
import hashlib
import json
import shutil
import signal
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from protofair.core.errors import UserError
from protofair.core.packed import Packed
from protofair.data.attributes import ATTRIBUTES
from protofair.data.prepare import pack as pack_module
from protofair.data.prepare import run as run_module
from protofair.data.prepare.decode import decode

UTKFACE = {"acquire": "utkface", "dataset": "utkface", "size": 16}
CELEBA = {"acquire": "celeba", "dataset": "celeba", "size": 16}
NIH = {"acquire": "nih", "dataset": "nih", "size": 16}
SPLIT = {"alpha": 2, "val_per_cell": 1, "test_per_cell": 1}


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pack_module, "BLOCK_IMAGES", 16)


def manifest_of(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "manifest.json").read_text())


def problems_of(folder: Path) -> set[tuple[str, str]]:
    table = pd.read_csv(folder / "problems.csv")
    return set(zip(table["kind"], table["id"], strict=True))


def test_celeba(data: Any) -> None:
    data.celeba(40)
    packed = Packed.open(data.prepare("c", **CELEBA))
    assert packed.images.shape == (40, 16, 16, 3)
    assert packed.attributes == list(ATTRIBUTES["celeba"])
    assert list(packed.labels["id"]) == [f"{number:06d}.jpg" for number in range(1, 41)]
    assert [len(packed.rows(split)) for split in ("train", "val", "test")] == [32, 4, 4]
    assert packed.labels.loc[9, "split"] == "test"
    expected = [(9 + 3 * position) % 7 < 3 for position in range(40)]
    assert [packed.values(name, np.array([9]))[0] for name in packed.attributes] == expected
    content = (data.raw("celeba") / "images" / "000010.jpg").read_bytes()
    assert np.array_equal(packed.images[9], decode(content, size=16, channels=3))


def test_nih(data: Any) -> None:
    data.nih(20)
    packed = Packed.open(data.prepare("n", **NIH))
    assert packed.images.shape == (40, 16, 16, 1)
    assert packed.attributes == list(ATTRIBUTES["nih"])
    assert packed.labels.groupby("patient")["split"].nunique().eq(1).all()
    row = packed.labels.set_index("id").loc["00000003_001.png"]
    assert row[["Pneumothorax", "Mass", "Hernia", "sex", "age", "view", "patient", "age_60"]].tolist() == [
        1, 1, 0, 0, 33, 1, 3, 0,
    ]  # fmt: skip
    old = packed.labels["age"] >= 60
    assert packed.labels["age_60"].tolist() == old.astype(int).tolist()


def test_a_view_left_out_is_no_problem(data: Any) -> None:
    data.nih(20)
    folder = data.prepare("n", **NIH, views="PA")
    assert set(Packed.open(folder).labels["view"]) == {0}
    assert problems_of(folder) == set()
    assert manifest_of(folder)["left_out"] == {"view other than PA": 20}


def test_utkface(data: Any) -> None:
    names = data.utkface(per_cell=8)
    packed = Packed.open(data.prepare("u", **UTKFACE, split=SPLIT))
    assert packed.attributes == list(ATTRIBUTES["utkface"])
    assert list(packed.labels["id"]) == sorted(names)
    train = packed.labels[packed.labels["split"] == "train"]
    assert train.groupby(["gender", "white"]).size().to_dict() == {(0, 0): 3, (0, 1): 6, (1, 0): 6, (1, 1): 3}
    assert len(packed.rows("val")) == len(packed.rows("test")) == 4
    assert len(packed.rows("")) == 32 - 18 - 8


def test_of_identical_utkface_images_one_stays_and_none_where_the_split_is_in_doubt(data: Any) -> None:
    names = data.utkface(per_cell=8)
    images = data.raw("utkface") / "images"
    older = images / names[0].replace("20_0_0", "99_0_0")
    other_gender = images / names[1].replace("21_0_0", "21_1_0")
    shutil.copyfile(images / names[0], older)
    shutil.copyfile(images / names[1], other_gender)
    folder = data.prepare("u", **UTKFACE, split=SPLIT)
    ids = set(Packed.open(folder).labels["id"])
    assert names[0] in ids
    assert {older.name, names[1], other_gender.name}.isdisjoint(ids)
    found = manifest_of(folder)["identical"]
    assert (found["groups"], found["images"], found["groups_dropped"], found["images_dropped"]) == (2, 4, 1, 3)
    assert found["groups_in_two_splits"] == 0
    listed = pd.read_csv(folder / "identical.csv")
    assert dict(zip(listed["id"], listed["kept"], strict=True)) == {
        names[0]: 1, older.name: 0, names[1]: 0, other_gender.name: 0,
    }  # fmt: skip


def test_pixels_stay_with_their_labels_when_rows_are_dropped(data: Any) -> None:
    names = data.utkface(per_cell=8)
    images = data.raw("utkface") / "images"
    shutil.copyfile(images / names[3], images / names[3].replace("23_0_0", "24_0_0"))
    (images / names[5]).write_bytes(b"broken")
    folder = data.prepare("u", **UTKFACE, split=SPLIT)
    packed = Packed.open(folder)
    digests = pd.read_csv(folder / "digests.csv", index_col="id")["sha256"]
    assert names[5] not in digests
    assert digests.is_unique
    for row, name in enumerate(packed.labels["id"]):
        content = (images / name).read_bytes()
        assert np.array_equal(packed.images[row], decode(content, size=16, channels=3)), name
    assert problems_of(folder) == {("unreadable", names[5])}


def test_every_kind_of_problem_is_counted_and_listed(data: Any) -> None:
    data.celeba(40)
    raw = data.raw("celeba")
    (raw / "images" / "000001.jpg").unlink()
    (raw / "images" / "000002.jpg").write_bytes(b"\xff\xd8\xff broken")
    shutil.copyfile(raw / "images" / "000003.jpg", raw / "images" / "999999.jpg")
    table = raw / "list_attr_celeba.txt"
    lines = table.read_text().splitlines()
    table.write_text("\n".join(["41", *lines[1:], lines[5]]))
    partition = raw / "list_eval_partition.txt"
    partition.write_text(partition.read_text().replace("000005.jpg 0\n", ""))
    warnings: list[str] = []
    folder = data.prepare("c", **CELEBA, say=warnings.append)
    assert problems_of(folder) == {
        ("no-image", "000001.jpg"),
        ("unreadable", "000002.jpg"),
        ("no-label", "999999.jpg"),
        ("repeated", "000004.jpg"),
        ("no-split", "000005.jpg"),
    }
    assert {kind: found["count"] for kind, found in manifest_of(folder)["problems"].items()} == dict.fromkeys(
        ("no-image", "unreadable", "no-label", "repeated", "no-split"), 1
    )
    assert "warning: labels without an image: 1" in warnings
    assert len(Packed.open(folder).labels) == 37


def test_broken_images_are_named_before_the_split_fails_for_lack_of_them(data: Any) -> None:
    for name in data.utkface(per_cell=4):
        (data.raw("utkface") / "images" / name).write_bytes(b"not an image")
    with pytest.raises(UserError, match="16 images that cannot be read of 16"):
        data.prepare("u", **UTKFACE, split=SPLIT)


def test_a_full_disk_is_said_and_what_is_done_is_kept(data: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    data.celeba(20)

    def write(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(run_module, "write_set", write)
        with pytest.raises(UserError, match=r"packed/c: the disk is full\. Free some space and run it again"):
            data.prepare("c", **CELEBA)
    monkeypatch.setattr(pack_module, "_in_parallel", None)
    data.prepare("c", **CELEBA)


@pytest.mark.parametrize("kind", ["missing", "unreadable"])
def test_too_many_problems_are_refused_and_nothing_is_overwritten(kind: str, data: Any, contents: Callable) -> None:
    data.celeba(40)
    before = contents(data.prepare("c", **CELEBA))
    for name in ("000001.jpg", "000002.jpg"):
        path = data.raw("celeba") / "images" / name
        path.unlink() if kind == "missing" else path.write_bytes(b"not an image")
    with pytest.raises(UserError, match=r"2 (labels without an image|images that cannot be read) of 40, at most 1"):
        data.prepare("c", **CELEBA)
    assert contents(data.packed("c")) == before
    listing = data.root / "packed" / ".c.problems.csv"
    assert len(listing.read_text().splitlines()) == 3
    assert len(Packed.open(data.prepare("c", **CELEBA, max_problems=0.05)).labels) == 38
    assert not listing.exists()


def test_the_same_files_make_the_same_bytes_whatever_the_workers_and_the_order(data: Any, contents: Callable) -> None:
    names = data.utkface(per_cell=8)
    first = contents(data.prepare("u", **UTKFACE, split=SPLIT))
    images = data.raw("utkface") / "images"
    files = {name: (images / name).read_bytes() for name in names}
    shutil.rmtree(images)
    data.write_images("utkface", {name: files[name] for name in reversed(names)})
    assert contents(data.prepare("u", **UTKFACE, split=SPLIT, workers=3)) == first
    assert set(first) == {
        "images.npy", "labels.csv", "digests.csv", "identical.csv", "lookalikes.csv", "problems.csv", "manifest.json",
        "card.json", "card.html",
    }  # fmt: skip


@pytest.mark.parametrize("layout", ["zip", "tar", "parts"])
def test_the_layout_of_the_raw_files_does_not_matter(layout: str, data: Any, contents: Callable) -> None:
    data.celeba(40)
    expected = contents(data.prepare("c", **CELEBA))
    raw = data.raw("celeba")
    files = sorted((raw / "images").iterdir(), reverse=True)
    if layout == "zip":
        with zipfile.ZipFile(raw / "img_align_celeba.zip", "w") as archive:
            for file in files:
                archive.write(file, f"img_align_celeba/{file.name}")
    elif layout == "tar":
        with tarfile.open(raw / "images.tar", "w") as archive:
            for file in files:
                archive.add(file, f"images/{file.name}")
    else:
        for number, file in enumerate(files):
            part = raw / f"part{number % 3}"
            part.mkdir(exist_ok=True)
            shutil.copyfile(file, part / file.name)
    shutil.rmtree(raw / "images")
    assert contents(data.prepare("c", **CELEBA)) == expected


KILLED = """
import os, signal, sys
from pathlib import Path
from protofair.data.prepare import pack, run
from protofair.data.prepare.config import Prepare

class Bar:
    def __init__(self, **options):
        self.finished = 0
    def __enter__(self):
        return self
    def __exit__(self, *error):
        pass
    def update(self, images):
        self.finished += 1
        if self.finished == 2:
            os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    pack.BLOCK_IMAGES, run.tqdm = 16, Bar
    run.prepare("c", Prepare(acquire="celeba", dataset="celeba", size=16), data=Path(sys.argv[1]), workers=2)
"""


def test_killed_it_leaves_nothing_half_made_and_the_next_call_ends_in_the_same_bytes(
    data: Any, contents: Callable, tmp_path: Path
) -> None:
    data.celeba(80)
    script = tmp_path / "script.py"
    script.write_text(KILLED)
    killed = subprocess.run([sys.executable, script, data.root], capture_output=True, timeout=60, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    array = data.root / "packed" / ".c.partial" / "all.npy"
    assert not data.packed("c").exists()
    inode = array.stat().st_ino
    resumed = data.prepare("c", **CELEBA)
    assert (resumed / "images.npy").stat().st_ino == inode
    first = contents(resumed)
    shutil.rmtree(resumed)
    assert contents(data.prepare("c", **CELEBA)) == first


def test_interrupted_while_the_set_is_written_it_decodes_nothing_anew(
    data: Any, contents: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    data.celeba(20)
    expected = contents(data.prepare("c", **CELEBA))

    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(run_module, "_put_in_place", interrupt)
        with pytest.raises(KeyboardInterrupt):
            data.prepare("c", **CELEBA)
    assert contents(data.packed("c")) == expected
    monkeypatch.setattr(pack_module, "_in_parallel", None)
    assert contents(data.prepare("c", **CELEBA)) == expected


def test_nothing_but_the_finished_set_is_left(data: Any) -> None:
    data.celeba(20)
    data.prepare("c", **CELEBA)
    assert {path.name for path in (data.root / "packed").iterdir()} == {"c", ".c.lock"}


def test_an_earlier_set_is_replaced_as_a_whole(data: Any) -> None:
    data.celeba(20)
    stray = data.prepare("c", **CELEBA) / "stray.txt"
    stray.touch()
    assert Packed.open(data.prepare("c", **CELEBA | {"size": 8})).images.shape == (20, 8, 8, 3)
    assert not stray.exists()


def test_the_manifest_has_the_hash_of_every_file(data: Any) -> None:
    data.celeba(20)
    folder = data.prepare("c", **CELEBA)
    files = manifest_of(folder)["files"]
    assert set(files) == {path.name for path in folder.iterdir()} - {"manifest.json", "card.json", "card.html"}
    for name, facts in files.items():
        content = (folder / name).read_bytes()
        assert facts == {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def test_the_manifest_names_every_library_that_decodes(data: Any) -> None:
    data.celeba(20)
    assert {"simplejpeg", "opencv-python-headless", "kornia-rs"} < manifest_of(data.prepare("c", **CELEBA))[
        "made_with"
    ].keys()


def test_no_path_of_the_machine_is_in_any_file(data: Any) -> None:
    data.utkface()
    for path in data.prepare("u", **UTKFACE, split=SPLIT).iterdir():
        assert str(data.root).encode() not in path.read_bytes(), path.name


def test_attributes_of_pairs_become_columns(data: Any) -> None:
    data.utkface(per_cell=20)
    pairs = [{"target": "age>=30", "sensitive": "race"}]
    packed = Packed.open(data.prepare("u", **UTKFACE, split=SPLIT, pairs=pairs))
    assert packed.labels["age_30"].tolist() == (packed.labels["age"] >= 30).astype(int).tolist()


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        ({"target": "gendre", "sensitive": "race"}, "prepare u: no attribute 'gendre'. Did you mean 'gender'"),
        ({"target": "gender", "sensitive": "age"}, "prepare u: 'age' has 20 values. Cut it at a threshold"),
        ({"target": "gender", "sensitive": "size>=3"}, "prepare u: no attribute 'size>=3'"),
    ],
)
def test_a_pair_that_cannot_be_is_refused_before_anything_is_decoded(
    pair: dict[str, str], message: str, data: Any
) -> None:
    data.utkface(per_cell=20)
    with pytest.raises(UserError, match=message):
        data.prepare("u", **UTKFACE, split=SPLIT, pairs=[pair])
    assert not (data.root / "packed").exists()


def test_a_split_that_cannot_be_is_refused_before_anything_is_decoded(data: Any) -> None:
    data.utkface(per_cell=8)
    with pytest.raises(UserError, match=r"^prepare u: split: alpha 50 .*largest alpha that works is 6\."):
        data.prepare("u", **UTKFACE, split=SPLIT | {"alpha": 50})
    assert not (data.root / "packed").exists()


def test_another_split_of_the_same_images_decodes_nothing_anew_after_a_refusal(
    data: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = data.utkface(per_cell=8)
    images = data.raw("utkface") / "images"
    shutil.copyfile(images / names[0], images / names[1])  # only their bytes tell that there is one too few
    with pytest.raises(UserError, match=r"^prepare u: split: alpha 6 .*largest alpha that works is 5\."):
        data.prepare("u", **UTKFACE, split=SPLIT | {"alpha": 6})
    monkeypatch.setattr(pack_module, "_in_parallel", None)
    data.prepare("u", **UTKFACE, split=SPLIT)


def test_raw_files_that_were_never_acquired(data: Any) -> None:
    with pytest.raises(UserError, match=r"acquired/celeba\.json: no such file.*protofair acquire celeba"):
        data.prepare("c", **CELEBA)
    data.celeba(20)
    with pytest.raises(UserError, match=r"celeba\.json: it is celeba, not nih"):
        data.prepare("n", **NIH | {"acquire": "celeba"})


@pytest.mark.parametrize("content", ["{", "{}", "[1, 2]", '{"dataset": "celeba"}'])
def test_a_damaged_declaration(content: str, data: Any) -> None:
    data.celeba(20)
    (data.root / "acquired" / "celeba.json").write_text(content)
    with pytest.raises(UserError, match=r"celeba\.json: damaged\. Acquire it again: protofair acquire celeba"):
        data.prepare_as_declared("c", **CELEBA)


def test_images_that_are_not_those_acquired_are_refused(data: Any) -> None:
    data.celeba(20)
    (data.raw("celeba") / "images" / "000001.jpg").unlink()
    with pytest.raises(UserError, match=r"raw/celeba: changed since it was acquired, when it had 20 images"):
        data.prepare_as_declared("c", **CELEBA)


def test_a_table_that_is_not_the_one_acquired_is_refused(data: Any) -> None:
    data.celeba(20)
    declaration = data.root / "acquired" / "celeba.json"
    record = json.loads(declaration.read_text())
    declaration.write_text(json.dumps(record | {"files": [{"name": "list_eval_partition.txt", "size": 1}]}))
    with pytest.raises(UserError, match=r"list_eval_partition\.txt: changed since it was acquired\. Acquire it again"):
        data.prepare_as_declared("c", **CELEBA)


def test_images_of_another_set_have_no_labels(data: Any) -> None:
    data.celeba(20)
    data.declare("utkface", "utkface")
    shutil.copytree(data.raw("celeba"), data.raw("utkface"), dirs_exist_ok=True)
    with pytest.raises(UserError, match="none of its 20 images has a label"):
        data.prepare("u", **UTKFACE, split=SPLIT)


def test_two_at_once_are_refused(data: Any) -> None:
    data.celeba(20)
    (data.root / "packed").mkdir()
    with (data.root / "packed" / ".c.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(UserError, match="another `protofair prepare` is at work on it"):
            data.prepare("c", **CELEBA)
    data.prepare("c", **CELEBA)
