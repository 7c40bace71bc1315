"""Images by name from archives and folders: the same bytes whatever holds them, and nothing that cannot be trusted."""

import io
import multiprocessing
import struct
import tarfile
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from protofair.core.errors import UserError
from protofair.data import raw
from protofair.data.acquire.digest import images_digest
from protofair.data.raw import find_images, find_table, reading_order

IMAGES = {f"{number:06d}.jpg": bytes([number]) * (1000 + number) for number in range(1, 6)}


def write_zip(path: Path, members: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> None:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def write_tar(path: Path, members: dict[str, bytes]) -> None:
    with tarfile.open(path, "w") as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))


def write_folder(path: Path, members: dict[str, bytes]) -> None:
    for name, content in members.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(content)


def within(folder: str) -> dict[str, bytes]:
    return {f"{folder}/{name}": content for name, content in IMAGES.items()}


LAYOUTS = {
    "stored zip": lambda path: write_zip(path / "a.zip", within("img")),
    "deflated zip": lambda path: write_zip(path / "a.zip", within("img"), zipfile.ZIP_DEFLATED),
    "tar": lambda path: write_tar(path / "a.tar", within("img")),
    "flat": lambda path: write_folder(path, IMAGES),
    "nested": lambda path: write_folder(path, within("img/img")),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_gives_the_same_images(tmp_path, layout):
    LAYOUTS[layout](tmp_path)
    entries = find_images(tmp_path)
    assert [(entry.name, entry.size) for entry in entries] == [(name, len(IMAGES[name])) for name in sorted(IMAGES)]
    assert {entry.name: entry.read() for entry in entries} == IMAGES


def test_several_archives_and_a_linked_folder_together(tmp_path):
    names = sorted(IMAGES)
    folder, elsewhere = tmp_path / "raw", tmp_path / "elsewhere"
    folder.mkdir()
    write_tar(folder / "images_001.tar", {f"images/{name}": IMAGES[name] for name in names[:2]})
    write_zip(folder / "images_002.zip", {name: IMAGES[name] for name in names[2:4]})
    write_folder(elsewhere, {names[4]: IMAGES[names[4]], f"copies/{names[0]}": b"not directly in the linked folder"})
    (folder / "images-01").symlink_to(elsewhere)
    assert {entry.name: entry.read() for entry in find_images(folder)} == IMAGES


def test_what_is_no_image_is_passed_over(tmp_path):
    clutter = {
        "img/readme.txt": b"",
        "__MACOSX/img/000001.jpg": b"",
        "img/._000001.jpg": b"",
        "img/.DS_Store": b"",
    }
    write_zip(tmp_path / "a.zip", within("img") | clutter)
    (tmp_path / "a.tar.gz").write_bytes(b"acquire unpacks these")
    (tmp_path / "b.zip.part").write_bytes(b"half a file")
    (tmp_path / ".hidden.jpg").write_bytes(b"")
    assert [entry.name for entry in find_images(tmp_path)] == sorted(IMAGES)


def test_reading_order_is_the_order_of_the_disk(tmp_path):
    write_tar(tmp_path / "a.tar", dict(sorted(IMAGES.items(), reverse=True)))
    entries = find_images(tmp_path)
    assert [entry.name for entry in entries] == sorted(IMAGES)
    assert [entry.name for entry in reading_order(entries)] == sorted(IMAGES, reverse=True)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_worker_processes_read_entries(tmp_path, method):
    write_zip(tmp_path / "a.zip", dict(list(IMAGES.items())[:3]), zipfile.ZIP_DEFLATED)
    write_tar(tmp_path / "b.tar", dict(list(IMAGES.items())[3:]))
    entries = find_images(tmp_path)
    with multiprocessing.get_context(method).Pool(2) as pool:
        contents = pool.map(_read, entries, chunksize=1)
    assert contents == [IMAGES[entry.name] for entry in entries]


def _read(entry: raw.Entry) -> bytes:
    return entry.read()


@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(
        st.from_regex(r"[a-z0-9_ ]{1,120}\.(jpg|png|JPG|chip\.jpg)", fullmatch=True).filter(
            lambda name: name.strip() == name
        ),
        st.binary(max_size=3000),
        min_size=1,
        max_size=8,
    )
)
def test_any_images_have_one_digest_in_every_layout(tmp_path_factory, images):
    digests = set()
    for number, write in enumerate([write_zip, write_tar, write_folder]):
        folder = tmp_path_factory.mktemp("layout")
        place = folder if write is write_folder else folder / ["a.zip", "a.tar"][number]
        write(place, {f"some/folder/{name}": content for name, content in images.items()})
        content = images_digest(find_images(folder))
        assert (content.count, content.size) == (len(images), sum(map(len, images.values())))
        digests.add(content.sha256)
    assert len(digests) == 1


@pytest.mark.parametrize("layout", ["stored zip", "deflated zip"])
def test_damage_in_a_zip_is_an_oserror_and_counted(tmp_path, layout):
    LAYOUTS[layout](tmp_path)
    archive = tmp_path / "a.zip"
    with zipfile.ZipFile(archive) as file:
        offset = file.infolist()[2].header_offset
    content = bytearray(archive.read_bytes())
    content[offset + 50] ^= 255
    archive.write_bytes(content)
    entries = find_images(tmp_path)
    with pytest.raises(OSError, match=r"000003\.jpg"):
        entries[2].read()
    assert images_digest(entries).damaged == ["000003.jpg"]


def test_a_file_that_shrinks_after_indexing_is_an_oserror(tmp_path):
    LAYOUTS["tar"](tmp_path)
    entries = find_images(tmp_path)
    with (tmp_path / "a.tar").open("r+b") as file:
        file.truncate(2000)
    with pytest.raises(OSError, match="ends before"):
        entries[-1].read()


@pytest.mark.parametrize("name", ["../out.jpg", "/etc/out.jpg", "a/../../out.jpg", "..\\out.jpg"])
@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_a_path_that_leads_out_is_refused(tmp_path, kind, name):
    {"zip": write_zip, "tar": write_tar}[kind](tmp_path / f"a.{kind}", {"fine.jpg": b"x", name: b"x"})
    with pytest.raises(UserError, match="leads out of the archive"):
        find_images(tmp_path)


def test_a_link_in_a_zip_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        entry = zipfile.ZipInfo("link.jpg")
        entry.external_attr = 0o120777 << 16
        archive.writestr(entry, "/etc/passwd")
    with pytest.raises(UserError, match=r"link\.jpg"):
        find_images(tmp_path)


def test_a_zip_bomb_is_refused(tmp_path):
    write_zip(tmp_path / "a.zip", {f"{number}.jpg": b"\0" * 2**20 for number in range(70)}, zipfile.ZIP_DEFLATED)
    with pytest.raises(UserError, match="unpacks to more than"):
        find_images(tmp_path)


def patch_directory(archive: Path, offset: int, value: bytes) -> None:
    """Overwrite a field of the last entry of a zip file's central directory."""
    content = bytearray(archive.read_bytes())
    position = content.rindex(b"PK\x01\x02") + offset
    content[position : position + len(value)] = value
    archive.write_bytes(content)


def test_a_member_that_lies_about_its_size_unpacks_to_no_more_than_it_said(tmp_path):
    write_zip(tmp_path / "a.zip", {"1.jpg": b"\0" * 2**24}, zipfile.ZIP_DEFLATED)
    patch_directory(tmp_path / "a.zip", 24, struct.pack("<I", 1000))  # the unpacked size
    (entry,) = find_images(tmp_path)
    tracemalloc.start()
    try:
        with pytest.raises(OSError, match="damaged"):
            entry.read()
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


def test_an_encrypted_member_is_refused(tmp_path):
    write_zip(tmp_path / "a.zip", {"1.jpg": b"secret"})
    patch_directory(tmp_path / "a.zip", 8, struct.pack("<H", 1))  # the flags
    with pytest.raises(UserError, match="encrypted"):
        find_images(tmp_path)


def test_a_huge_image_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(raw, "MAX_IMAGE_BYTES", 100)
    write_folder(tmp_path, IMAGES)
    with pytest.raises(UserError, match="claims 1001 bytes"):
        find_images(tmp_path)


@pytest.mark.parametrize("name", ["a.zip", "a.tar"])
def test_a_truncated_archive_is_named(tmp_path, name):
    LAYOUTS["deflated zip" if name == "a.zip" else "tar"](tmp_path)
    whole = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(whole[: len(whole) // 3])
    with pytest.raises(UserError, match=rf"{name}: not a whole"):
        find_images(tmp_path)


def test_a_broken_header_is_not_taken_for_the_end(tmp_path):
    LAYOUTS["tar"](tmp_path)
    content = bytearray((tmp_path / "a.tar").read_bytes())
    content[3 * 1536] ^= 255  # a header and two blocks a member
    (tmp_path / "a.tar").write_bytes(content)
    with pytest.raises(UserError, match=r"a\.tar: not a whole tar archive"):
        find_images(tmp_path)


def test_the_same_image_twice_is_refused(tmp_path):
    write_folder(tmp_path, within("UTKFace"))
    write_folder(tmp_path, {"crop_part1/000002.jpg": b""})
    with pytest.raises(UserError, match=r"'000002\.jpg' is there twice, in .*UTKFace.* and .*crop_part1"):
        find_images(tmp_path)


def test_a_link_to_what_is_gone_is_named(tmp_path):
    (tmp_path / "images-01").symlink_to(tmp_path / "unplugged")
    with pytest.raises(UserError, match=r"images-01: a link to .*unplugged, which is gone"):
        find_images(tmp_path)


def test_an_image_that_is_a_link_to_what_is_gone_is_missing(tmp_path):
    images = tmp_path / "images"
    images.mkdir()
    (images / "000001.jpg").write_bytes(b"x")
    (images / "000002.jpg").symlink_to(tmp_path / "unplugged.jpg")
    (images / "000003.jpg").symlink_to(images / "000003.jpg")
    assert [entry.name for entry in find_images(tmp_path)] == ["000001.jpg"]


def test_no_folder_says_what_to_do(tmp_path):
    with pytest.raises(UserError, match="protofair acquire"):
        find_images(tmp_path / "none")


def test_tables_are_found_in_their_order(tmp_path):
    (tmp_path / "list.csv").touch()
    assert find_table(tmp_path, "list.txt", "list.csv").name == "list.csv"
    (tmp_path / "list.txt").touch()
    assert find_table(tmp_path, "list.txt", "list.csv").name == "list.txt"
    with pytest.raises(UserError, match=r"no x\.txt or x\.csv"):
        find_table(tmp_path, "x.txt", "x.csv")
