import tarfile
import time
import zipfile
from pathlib import Path

import pytest

from protofair.data.toy.archive import write_tar_gz, write_zip

MEMBERS = [("folder/", b""), ("folder/a.jpg", b"first"), ("folder/b .jpg", b"")]


@pytest.mark.parametrize("write", [write_zip, write_tar_gz])
def test_bytes_do_not_depend_on_the_clock_or_the_name(write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "first", MEMBERS)
    monkeypatch.setattr(time, "time", lambda: 2e9)
    write(tmp_path / "second", iter(MEMBERS))
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()


def test_a_zip_holds_its_members_in_order(tmp_path: Path) -> None:
    write_zip(tmp_path / "x.zip", MEMBERS)
    with zipfile.ZipFile(tmp_path / "x.zip") as archive:
        assert archive.testzip() is None
        assert [(name, archive.read(name)) for name in archive.namelist()] == MEMBERS
        assert archive.getinfo("folder/").is_dir()


def test_a_tar_holds_its_members_in_order(tmp_path: Path) -> None:
    write_tar_gz(tmp_path / "x.tar.gz", MEMBERS)
    with tarfile.open(tmp_path / "x.tar.gz", "r:gz") as archive:
        folder, *files = archive.getmembers()
        assert folder.isdir()
        assert folder.name == "folder"
        assert [(file.name, archive.extractfile(file).read()) for file in files] == MEMBERS[1:]
