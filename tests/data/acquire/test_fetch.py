"""Mirrors in their order; wrong bytes never get an official name; what was fetched is kept."""

import hashlib
from pathlib import Path

import pytest

from protofair.core.errors import UserError
from protofair.data.acquire.fetch import Unavailable, fetch
from protofair.data.acquire.table import File

CONTENT = bytes(range(256)) * 700
NAME = "file.zip"


@pytest.fixture
def file(server) -> File:
    """A file with two mirrors, /first and /second, both of which have it."""
    server.files |= {"/first": CONTENT, "/second": CONTENT}
    return File(
        size=len(CONTENT),
        sha256=hashlib.sha256(CONTENT).hexdigest(),
        sources=[{"kind": "http", "url": server.url(path)} for path in ("/first", "/second")],
    )


@pytest.fixture
def run(tmp_path, session, patience):
    return lambda file: fetch(tmp_path, NAME, file, session=session, patience=patience)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_the_first_mirror_is_enough(file, run, server, tmp_path):
    facts = run(file)
    assert facts == {"size": len(CONTENT), "sha256": file.sha256, "verified": True}
    assert (tmp_path / NAME).read_bytes() == CONTENT
    assert names(tmp_path) == {NAME}
    assert [path for path, _ in server.asked] == ["/first"]


@pytest.mark.parametrize("fault", ["page", "wrong_bytes", "gone"])
def test_the_second_mirror_takes_over(file, run, server, tmp_path, fault):
    server.faults["/first"] = {
        "page": [server.page()],
        "wrong_bytes": [server.wrong_bytes],
        "gone": [server.status(404)],
    }[fault]
    run(file)
    assert (tmp_path / NAME).read_bytes() == CONTENT
    assert names(tmp_path) == {NAME}  # what the first one sent is gone


def test_a_mirror_that_breaks_off_is_continued_at_the_next(file, run, server, tmp_path):
    server.faults["/first"] = [server.cut(2**16), *[server.status(503)] * 9]
    run(file)
    assert (tmp_path / NAME).read_bytes() == CONTENT
    assert ("/second", f"bytes={2**16}-") in server.asked


def test_wrong_bytes_everywhere_are_set_aside(file, run, server, tmp_path):
    server.faults |= {"/first": [server.wrong_bytes], "/second": [server.wrong_bytes]}
    with pytest.raises(Unavailable) as error:
        run(file)
    first, second = str(error.value).splitlines()
    assert server.url("/first") in first
    assert f"sha256 is {hashlib.sha256(bytes(byte ^ 255 for byte in CONTENT)).hexdigest()}" in first
    assert server.url("/second") in second
    assert names(tmp_path) == {f"{NAME}.rejected"}


def test_spoilt_bytes_of_an_earlier_run_cost_a_second_download_only(file, run, server, tmp_path):
    (tmp_path / f"{NAME}.part").write_bytes(b"?" * 1000)
    run(file)
    assert (tmp_path / NAME).read_bytes() == CONTENT
    assert server.asked == [("/first", "bytes=1000-"), ("/first", None)]
    assert names(tmp_path) == {NAME}


def test_a_part_that_was_complete_is_only_checked(file, run, server, tmp_path):
    (tmp_path / f"{NAME}.part").write_bytes(CONTENT)
    run(file)
    assert server.asked == []
    assert names(tmp_path) == {NAME}


def test_without_a_hash_nothing_is_continued(run, server, tmp_path):
    server.files["/list"] = b"a\nb\nc\n"
    (tmp_path / f"{NAME}.part").write_bytes(b"x\n")
    facts = run(File(lines=3, sources=[{"kind": "http", "url": server.url("/list")}]))
    assert server.ranges == [None]
    assert facts == {"size": 6, "sha256": hashlib.sha256(b"a\nb\nc\n").hexdigest(), "verified": False}


def test_without_a_hash_the_number_of_lines_is_checked(run, server, tmp_path):
    server.files["/list"] = b"a\r\nb\r\n\r\n"
    with pytest.raises(Unavailable, match="2 lines, the official file has 3"):
        run(File(lines=3, sources=[{"kind": "http", "url": server.url("/list")}]))
    assert NAME not in names(tmp_path)


def test_a_full_disk_is_explained(file, run, tmp_path):
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("needs /dev/full, a device without room, which Linux has")
    (tmp_path / f"{NAME}.part").symlink_to(full)
    with pytest.raises(UserError, match=r"the disk is full\. Make room and run the same command again"):
        run(file)
