"""Google Drive's pages through gdown, the hub's addresses through huggingface_hub."""

import pytest

from protofair.data.acquire import locate as module
from protofair.data.acquire.fetch import Unavailable, fetch
from protofair.data.acquire.locate import locate
from protofair.data.acquire.table import Drive, File, Hub
from protofair.data.acquire.web import Interrupted, MirrorError

CONTENT = bytes(range(256)) * 400
DRIVE = Drive(kind="drive", id="0B7EVK8r0v71p")


@pytest.fixture
def drive(server, monkeypatch):
    """Google Drive as the local server plays it: /uc asks to confirm, /download has the file."""
    monkeypatch.setattr(module, "DRIVE", server.url("/uc"))
    server.files["/download"] = CONTENT
    confirm = (
        f'<!DOCTYPE html><html><head><title>Virus scan warning</title></head><body><form id="download-form" '
        f'action="{server.url("/download")}" method="get"><input type="hidden" name="id" value="{DRIVE.id}">'
        '<input type="hidden" name="confirm" value="t"></form></body></html>'
    )
    server.faults["/uc"] = [server.page(confirm) for _ in range(5)]
    return server


def test_the_page_that_asks_to_confirm_is_confirmed(drive, session, patience):
    assert locate(DRIVE, session, patience=patience) == drive.url(f"/download?id={DRIVE.id}&confirm=t")


def test_a_small_file_comes_without_a_page(drive, session, patience):
    drive.faults["/uc"] = []
    drive.files["/uc"] = CONTENT
    assert locate(DRIVE, session, patience=patience) == drive.url(f"/uc?id={DRIVE.id}&export=download")


def test_the_quota_page_is_told_in_its_own_words(drive, session, patience):
    drive.faults["/uc"] = [drive.page()]
    with pytest.raises(MirrorError, match=r"Quota exceeded.*Too many users have viewed or downloaded"):
        locate(DRIVE, session, patience=patience)


def test_a_page_of_another_kind_is_named(drive, session, patience):
    drive.faults["/uc"] = [drive.page("<html><title>Sign in</title></html>")]
    with pytest.raises(MirrorError, match="Sign in"):
        locate(DRIVE, session, patience=patience)


def test_drive_may_be_busy(drive, session, patience):
    drive.faults["/uc"] = [drive.status(429, Retry_After="3")]
    with pytest.raises(Interrupted) as error:
        locate(DRIVE, session, patience=patience)
    assert error.value.retry_after == 3


def test_a_drive_download_that_breaks_is_located_anew_and_continued(drive, session, patience, tmp_path):
    drive.faults["/download"] = [drive.cut(2**16)]
    file = File(size=len(CONTENT), md5="0" * 32, sources=[DRIVE])
    with pytest.raises(Unavailable, match="md5 is"):
        fetch(tmp_path, "file", file, session=session, patience=patience)
    assert (tmp_path / "file.rejected").read_bytes() == CONTENT
    assert drive.asked == [("/uc", None), ("/download", None), ("/uc", None), ("/download", f"bytes={2**16}-")]


def test_the_hubs_address(session, patience):
    hub = Hub(kind="hub", repo="py97/UTKFace-Cropped", path="data/UTKFace.tar.gz")
    url = locate(hub, session, patience=patience)
    assert url.endswith("/datasets/py97/UTKFace-Cropped/resolve/main/data/UTKFace.tar.gz")
