"""What a person already has is taken in every usual layout, verified, linked, and never asked for again."""

import errno
import hashlib
import json
import shutil
import socket
from collections import namedtuple
from pathlib import Path

import pytest

from protofair.core.errors import UserError
from protofair.data.acquire import check as check_module
from protofair.data.acquire.collect import Collection, sole_use
from protofair.data.acquire.survey import survey
from protofair.data.acquire.web import Patience
from protofair.data.raw import find_images

NAMES = {
    "celeba": r"[0-9]{6}[.]jpg",
    "utkface": r"[0-9]+_.*[.]chip[.]jpg",
    "nih": r"[0-9]{8}_[0-9]{3}[.]png",
}
ALSO = {
    "list_attr_celeba.txt": ["list_attr_celeba.csv"],
    "list_eval_partition.txt": ["list_eval_partition.csv"],
    "UTKFace.tar.gz": ["UTKFace.tar", "UTKFace.zip"],
    "Data_Entry_2017_v2020.csv": ["Data_Entry_2017.csv"],
    "images_001.tar.gz": ["images_001.tar", "images_001.zip"],
    "images_002.tar.gz": ["images_002.tar", "images_002.zip"],
}


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def collect(tmp_path, said):
    """A collection of a material in tmp_path/raw."""

    def collect(material, **options) -> Collection:
        folder = tmp_path / "raw"
        folder.mkdir(exist_ok=True)
        return Collection(folder, material.dataset(names=NAMES[material.name], also=ALSO, **options), say=said.append)

    return collect


def images(folder: Path) -> dict[str, bytes]:
    return {entry.name: entry.read() for entry in find_images(folder)}


def celeba_official(material, mine):
    material.write(mine / "celeba", *material.files)


def celeba_extracted(material, mine):
    material.write(mine, *material.tables)
    material.extract(mine / "img_align_celeba")


def celeba_kaggle(material, mine):
    """The folder twice in itself, the tables as CSV, no identities."""
    material.extract(mine / "archive" / "img_align_celeba" / "img_align_celeba")
    for name in ("list_attr_celeba", "list_eval_partition"):
        (mine / "archive" / f"{name}.csv").write_text("image_id,Male\n")


def utkface_archive(material, mine):
    material.write(mine, "UTKFace.tar.gz")


def utkface_flat(material, mine):
    material.extract(mine)


def utkface_folder(material, mine):
    material.extract(mine / "faces" / "UTKFace")


def utkface_parts(material, mine):
    names = list(material.images)
    for part, slice_ in {"part1": names[:3], "part2": names[3:5], "part3": names[5:]}.items():
        material.extract(mine / part, slice_)


def utkface_kaggle(material, mine):
    """The whole set twice, a part of it twice more."""
    for folder in ("UTKFace", "utkface_aligned_cropped/UTKFace"):
        material.extract(mine / folder)
    for folder in ("crop_part1", "utkface_aligned_cropped/crop_part1"):
        material.extract(mine / folder, list(material.images)[:3])


def nih_archives(material, mine):
    material.write(mine, *material.tables)
    material.write(mine / "images", "images_001.tar.gz", "images_002.tar.gz")


def nih_one_folder(material, mine):
    material.write(mine, *material.tables)
    material.extract(mine / "images")


def nih_folders(material, mine):
    """Kaggle's: a folder in a folder for each archive, and the older table."""
    material.write(mine, "train_val_list.txt", "test_list.txt")
    (mine / "Data_Entry_2017.csv").write_bytes(b"Image Index\n")
    names = list(material.images)
    material.extract(mine / "images_001" / "images", names[:5])
    material.extract(mine / "images_002" / "images", names[5:])


LAYOUTS = [
    ("celeba", celeba_official),
    ("celeba", celeba_extracted),
    ("celeba", celeba_kaggle),
    ("utkface", utkface_archive),
    ("utkface", utkface_flat),
    ("utkface", utkface_folder),
    ("utkface", utkface_parts),
    ("utkface", utkface_kaggle),
    ("nih", nih_archives),
    ("nih", nih_one_folder),
    ("nih", nih_folders),
]


@pytest.mark.parametrize(("name", "layout"), LAYOUTS, ids=lambda value: getattr(value, "__name__", ""))
def test_every_usual_layout_gives_the_official_images(request, tmp_path, collect, name, layout):
    material = request.getfixturevalue(name)
    layout(material, tmp_path / "mine")
    collection = collect(material)
    collection.take_from(tmp_path / "mine")
    collection.unpack_all()
    assert set(collection.missing) <= {"identity_CelebA.txt"}
    assert images(tmp_path / "raw") == material.images
    for file in (tmp_path / "raw").iterdir():
        own = file.name.startswith(".") or file.name.endswith(".tar")
        assert own or file.is_symlink() or file.stat().st_nlink == 2, f"{file} is a copy"


@pytest.mark.parametrize("form", ["UTKFace.tar", "UTKFace.zip"])
def test_another_archive_is_taken_but_not_called_verified(tmp_path, collect, utkface, form, pack):
    content = pack(form, {f"UTKFace/{name}": content for name, content in utkface.images.items()})
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / form).write_bytes(content)
    collection = collect(utkface)
    collection.take_from(tmp_path / "mine")
    collection.unpack_all()
    assert collection.facts["UTKFace.tar.gz"] == {
        "name": form,
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "verified": False,
    }
    assert images(tmp_path / "raw") == utkface.images


def test_one_folder_may_hold_every_data_set(tmp_path, collect, celeba, utkface, nih):
    celeba_extracted(celeba, tmp_path / "all" / "celeba")
    utkface_folder(utkface, tmp_path / "all" / "utk")
    nih_folders(nih, tmp_path / "all" / "nih")
    collection = collect(utkface)
    collection.take_from(tmp_path / "all")
    assert images(tmp_path / "raw") == utkface.images


def test_links_in_a_circle_are_no_trouble(tmp_path, collect, utkface):
    utkface_folder(utkface, tmp_path / "mine")
    (tmp_path / "mine" / "again").symlink_to(tmp_path / "mine")
    collection = collect(utkface)
    assert len(survey(tmp_path / "mine", collection.dataset).folders) == 1
    collection.take_from(tmp_path / "mine")
    assert images(tmp_path / "raw") == utkface.images


def test_links_to_nowhere_are_passed_over(tmp_path, collect, utkface, said):
    utkface_folder(utkface, tmp_path / "mine")
    (tmp_path / "mine" / "UTKFace.tar").symlink_to(tmp_path / "unplugged")
    (tmp_path / "mine" / "itself").symlink_to("itself")
    collect(utkface).take_from(tmp_path / "mine")
    assert images(tmp_path / "raw") == utkface.images
    assert any("UTKFace.tar" in line for line in said)


def test_across_disks_a_link_is_a_symbolic_one(tmp_path, collect, utkface, monkeypatch):
    def refuse(*_):
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    utkface_archive(utkface, tmp_path / "mine")
    collect(utkface).take_from(tmp_path / "mine")
    assert (tmp_path / "raw" / "UTKFace.tar.gz").readlink() == tmp_path / "mine" / "UTKFace.tar.gz"


def test_some_archives_and_every_image_in_folders(tmp_path, collect, nih):
    nih_one_folder(nih, tmp_path / "mine")
    nih.write(tmp_path / "mine", "images_001.tar.gz")
    collection = collect(nih)
    collection.take_from(tmp_path / "mine")
    collection.unpack_all()
    assert collection.missing == []
    assert images(tmp_path / "raw") == nih.images


def test_some_archives_and_some_images_in_folders(tmp_path, collect, nih, said):
    nih_archives(nih, tmp_path / "mine")
    (tmp_path / "mine" / "images" / "images_002.tar.gz").unlink()
    nih.extract(tmp_path / "mine" / "images_002" / "images", list(nih.images)[6:])
    collection = collect(nih)
    collection.take_from(tmp_path / "mine")
    assert collection.missing == ["images_002.tar.gz"]
    assert any("2 images in folders left out" in line for line in said)


def test_copies_of_images_are_left_out_with_a_note(tmp_path, collect, utkface, said):
    utkface_kaggle(utkface, tmp_path / "mine")
    collect(utkface).take_from(tmp_path / "mine")
    assert sum("left out, 3 of its 3 images" in line for line in said) == 2


def test_the_photographs_in_the_wild_are_not_taken_for_the_cropped_ones(tmp_path, collect, utkface):
    (tmp_path / "part1").mkdir()
    (tmp_path / "part1" / "100_0_0_20170112213500903.jpg").write_bytes(b"in the wild")
    collection = collect(utkface)
    collection.take_from(tmp_path / "part1")
    assert collection.missing == ["UTKFace.tar.gz"]


def test_a_damaged_file_of_a_persons_is_named_and_left(tmp_path, collect, celeba, said):
    celeba_official(celeba, tmp_path / "mine")
    path = tmp_path / "mine" / "celeba" / "img_align_celeba.zip"
    path.write_bytes(path.read_bytes()[:-1])
    collection = collect(celeba)
    collection.take_from(tmp_path / "mine")
    assert collection.missing == ["img_align_celeba.zip"]
    assert any(f"{path}: " in line and "the official file has" in line for line in said)
    assert not (tmp_path / "raw" / "img_align_celeba.zip").exists()


@pytest.mark.parametrize("name", ["UTKFace.zip", "UTKFace.tar"])
def test_a_page_in_place_of_an_archive_is_named_where_it_lies(tmp_path, collect, utkface, said, name):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / name).write_text("<html>Quota exceeded</html>")
    collection = collect(utkface)
    collection.take_from(tmp_path / "mine")
    assert collection.missing == ["UTKFace.tar.gz"]
    (line,) = said
    assert line.startswith(f"{tmp_path / 'mine' / name}: not a whole {name[-3:]} archive")
    assert line.endswith("): not used.")
    assert not (tmp_path / "raw" / name).exists()


def test_some_archives_are_there_and_the_others_are_fetched(tmp_path, collect, nih, server, session, patience):
    server.files |= {f"/{name}": content for name, content in nih.files.items()}
    nih_archives(nih, tmp_path / "mine")
    (tmp_path / "mine" / "images" / "images_002.tar.gz").unlink()
    collection = collect(nih, base=server.address)
    collection.take_from(tmp_path / "mine")
    collection.fetch_missing(session=session, patience=patience, optional=True)
    collection.unpack_all()
    assert [path for path, _ in server.asked] == ["/images_002.tar.gz"]
    assert images(tmp_path / "raw") == nih.images


def test_official_bytes_under_another_usual_name_are_verified(tmp_path, collect, nih):
    nih_archives(nih, tmp_path / "mine")
    collection = collect(nih)
    files = collection.dataset.files
    for name, alias in (("images_001.tar.gz", "images_01.tar.gz"), ("images_002.tar.gz", "images_02.tar.gz")):
        (tmp_path / "mine" / "images" / name).rename(tmp_path / "mine" / "images" / alias)
        files[name] = files[name].model_copy(update={"aliases": (alias,)})
    collection.take_from(tmp_path / "mine")
    collection.unpack_all()
    assert collection.missing == []
    assert collection.facts["images_001.tar.gz"]["verified"]
    assert images(tmp_path / "raw") == nih.images


def test_what_is_verified_is_neither_hashed_nor_asked_for_again(tmp_path, collect, nih, monkeypatch):
    nih_archives(nih, tmp_path / "mine")
    collection = collect(nih)
    collection.take_from(tmp_path / "mine")
    collection.unpack_all()
    shutil.rmtree(tmp_path / "mine")  # the hard links stay
    monkeypatch.setattr(check_module, "file_digest", lambda *_: pytest.fail("hashed again"))
    again = collect(nih)
    assert again.missing == []
    assert again.facts == collection.facts
    again.unpack_all()


def test_a_file_changed_since_is_verified_again(tmp_path, collect, utkface):
    utkface_archive(utkface, tmp_path / "mine")
    collect(utkface).take_from(tmp_path / "mine")
    (tmp_path / "raw" / "UTKFace.tar.gz").write_bytes(b"x" * len(utkface.files["UTKFace.tar.gz"]))
    with pytest.raises(UserError, match=r"raw/UTKFace.tar.gz: md5 is .*Replace it, or delete it"):
        collect(utkface)


def test_the_tar_gz_may_go_once_it_is_unpacked(tmp_path, collect, utkface):
    utkface_archive(utkface, tmp_path / "mine")
    collection = collect(utkface)
    collection.take_from(tmp_path / "mine")
    collection.unpack_all()
    (tmp_path / "raw" / "UTKFace.tar.gz").unlink()
    again = collect(utkface)
    assert again.missing == []
    assert again.facts == collection.facts
    assert again.facts["UTKFace.tar.gz"]["verified"]
    again.unpack_all()
    assert images(tmp_path / "raw") == utkface.images


def test_files_put_into_the_raw_folder_by_hand_are_enough(tmp_path, collect, celeba):
    celeba_extracted(celeba, tmp_path / "raw")
    assert collect(celeba).missing == []


@pytest.mark.parametrize("content", ["{", "[1, 2]", '{"UTKFace.tar.gz": 1}'])
def test_a_damaged_ledger_means_hashing_again(tmp_path, collect, utkface, content):
    utkface_archive(utkface, tmp_path / "raw")
    collect(utkface)
    (tmp_path / "raw" / ".verified.json").write_text(content)
    assert collect(utkface).facts["UTKFace.tar.gz"]["verified"]
    assert json.loads((tmp_path / "raw" / ".verified.json").read_text())


def test_room_for_everything_is_checked_before_anything_is_fetched(
    tmp_path, collect, nih, server, session, patience, monkeypatch
):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10**9, 10**9, 10**6))
    collection = collect(nih, base=server.address)
    with pytest.raises(UserError, match=r"fetching 5 files needs .*, the disk has 1.00MB free"):
        collection.fetch_missing(session=session, patience=patience, optional=True)
    assert server.asked == []


def test_no_mirror_gives_a_file_by_hand_it_is(tmp_path, collect, celeba, server, session, patience):
    server.files |= {f"/{name}": content for name, content in celeba.tables.items()}
    server.faults["/img_align_celeba.zip"] = [server.page()]
    collection = collect(celeba, base=server.address)
    with pytest.raises(UserError) as error:
        collection.fetch_missing(session=session, patience=patience, optional=True)
    text, zipped = str(error.value), celeba.files["img_align_celeba.zip"]
    assert "Quota exceeded" in text
    assert "https://example.org/page" in text
    assert f"img_align_celeba.zip ({len(zipped):,} bytes, md5 {hashlib.md5(zipped).hexdigest()})" in text
    assert str(tmp_path / "raw") in text
    assert "list_attr_celeba.txt" not in text  # the small files came first and are there
    assert (tmp_path / "raw" / "list_attr_celeba.txt").exists()


def test_what_is_not_required_may_be_unavailable(tmp_path, collect, celeba, server, session, patience, said):
    server.files |= {f"/{name}": content for name, content in celeba.files.items() if name != "identity_CelebA.txt"}
    collection = collect(celeba, base=server.address)
    files = dict(collection.dataset.files)
    files["identity_CelebA.txt"] = files["identity_CelebA.txt"].model_copy(update={"required": False})
    collection.dataset = collection.dataset.model_copy(update={"files": files})
    collection.fetch_missing(session=session, patience=patience, optional=False)
    assert "/identity_CelebA.txt" not in dict(server.asked)
    collection.fetch_missing(session=session, patience=patience, optional=True)
    assert "/identity_CelebA.txt" in dict(server.asked)
    assert any("identity_CelebA.txt: no mirror gave it" in line for line in said)


def test_without_a_network_the_reason_is_told(collect, utkface, session):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        collection = collect(utkface, base=f"http://127.0.0.1:{taken.getsockname()[1]}")
        with pytest.raises(UserError, match=r"no connection(.|\n)*By hand: fetch from https://example.org/page"):
            collection.fetch_missing(session=session, patience=Patience(tries=2, first_wait=0), optional=True)


def test_a_place_that_cannot_hold_a_folder_is_named(tmp_path):
    (tmp_path / "data").write_text("a file")
    with pytest.raises(UserError, match=r"data/raw: a file is in the place"), sole_use(tmp_path / "data" / "raw"):
        pass


def test_one_process_at_a_time(tmp_path):
    with sole_use(tmp_path), pytest.raises(UserError, match="another `protofair acquire`"), sole_use(tmp_path):
        pass
    with sole_use(tmp_path):
        pass
