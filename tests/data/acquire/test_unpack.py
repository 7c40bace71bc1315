"""A .tar.gz becomes a .tar or an error, and never anything else on the disk."""

import gzip
import io
import shutil
import tarfile
from collections import namedtuple
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protofair.core.errors import UserError
from protofair.data.acquire import unpack as module
from protofair.data.acquire.unpack import unpack, unpacked_size
from protofair.data.raw import find_images


def tar(*members: tarfile.TarInfo) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for member in members:
            archive.addfile(member, io.BytesIO(b"x" * member.size))
    return buffer.getvalue()


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = kind, link
    entry.size = 5 if kind == tarfile.REGTYPE else 0
    return entry


@pytest.fixture
def write(tmp_path):
    def write(content: bytes) -> Path:
        path = tmp_path / "a.tar.gz"
        path.write_bytes(content)
        return path

    return write


def test_round_trip(write, tmp_path):
    plain = tar(member("UTKFace/1.jpg"), member("UTKFace/2.jpg"))
    archive = write(gzip.compress(plain))
    assert unpacked_size(archive) == len(plain)
    unpack(archive, tmp_path / "a.tar")
    assert (tmp_path / "a.tar").read_bytes() == plain
    assert [entry.name for entry in find_images(tmp_path)] == ["1.jpg", "2.jpg"]


@pytest.mark.parametrize(
    "bad",
    [
        member("../outside.jpg"),
        member("/etc/outside.jpg"),
        member("a/../../outside.jpg"),
        member("link.jpg", tarfile.SYMTYPE, "/etc/passwd"),
        member("link.jpg", tarfile.LNKTYPE, "../outside"),
        member("null", tarfile.CHRTYPE),
        member("disk", tarfile.BLKTYPE),
        member("pipe", tarfile.FIFOTYPE),
    ],
    ids=lambda bad: f"{bad.name}-{bad.type.decode()}",
)
def test_an_archive_that_reaches_out_is_refused(write, tmp_path, bad):
    archive = write(gzip.compress(tar(member("fine.jpg"), bad)))
    with pytest.raises(UserError, match=f"'{bad.name}'"):
        unpack(archive, tmp_path / "a.tar")
    assert [path.name for path in tmp_path.iterdir()] == ["a.tar.gz"]


def test_a_bomb_is_stopped(write, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MAX_RATIO_FROM", 2**20)
    archive = write(gzip.compress(b"\0" * 2**23))
    with pytest.raises(UserError, match=r"unpacks to more than 1\.05MB"):
        unpack(archive, tmp_path / "a.tar")
    assert [path.name for path in tmp_path.iterdir()] == ["a.tar.gz"]


@pytest.mark.parametrize("spoil", ["truncated", "flipped", "no gzip"])
def test_a_damaged_archive_leaves_nothing(write, tmp_path, spoil):
    whole = gzip.compress(tar(member("fine.jpg")))
    flipped = whole[:-6] + bytes([whole[-6] ^ 1]) + whole[-5:]  # in the checksum
    archive = write({"truncated": whole[:-20], "flipped": flipped, "no gzip": b"hello, world"}[spoil])
    with pytest.raises(UserError, match=f"{archive}: not a whole gzip file"):
        unpack(archive, tmp_path / "a.tar")
    assert [path.name for path in tmp_path.iterdir()] == ["a.tar.gz"]


def test_room_is_checked_first(write, tmp_path, monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10**9, 10**9, 10**6))
    archive = write(gzip.compress(tar(member("fine.jpg"))))
    with pytest.raises(UserError, match=r"unpacking a.tar.gz needs .*, the disk has 1.00MB free"):
        unpack(archive, tmp_path / "a.tar")
    assert [path.name for path in tmp_path.iterdir()] == ["a.tar.gz"]


@given(unpacked=st.integers(0, 2**36), share=st.floats(0.5, 1.0))
def test_sizes_beyond_32_bits_are_told_if_images_hardly_shrink(tmp_path_factory, unpacked, share):
    """What a gzip file keeps of its size, and its own size, give the size back: below 4 GB exactly."""
    archive = tmp_path_factory.mktemp("gzip") / "sparse.tar.gz"
    size = max(18, int(unpacked * share))
    with archive.open("wb") as file:
        file.truncate(size - 4)
        file.seek(size - 4)
        file.write((unpacked % 2**32).to_bytes(4, "little"))
    told = unpacked_size(archive)
    assert told % 2**32 == unpacked % 2**32
    assert told >= size * 0.99 - 1100
    if unpacked < 2**32 or share > 0.99:
        assert told == unpacked
