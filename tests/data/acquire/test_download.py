"""A download ends with the right bytes or with a reason, whatever the server does, and never loses what it had."""

import socket
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest
import requests
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from protofair.data.acquire import web
from protofair.data.acquire.download import download
from protofair.data.acquire.web import MirrorError, Patience

CONTENT = bytes(range(256)) * 1000  # several chunks
PATH = "/file.zip"

Get = Callable[..., bytes]


@pytest.fixture
def part(tmp_path: Path) -> Path:
    return tmp_path / "file.zip.part"


@pytest.fixture
def fetch(server, session, patience, part) -> Get:
    """Serve CONTENT after these faults and download it."""

    def run(*faults, size: int | None = len(CONTENT), patience: Patience = patience) -> bytes:
        server.files[PATH] = CONTENT
        server.faults[PATH] = list(faults)
        download(session, lambda: server.url(PATH), part, size=size, patience=patience)
        return part.read_bytes()

    return run


@pytest.fixture
def naps(monkeypatch) -> list[float]:
    """How long the code wanted to sleep, without the sleep."""
    naps: list[float] = []
    monkeypatch.setattr(web.time, "sleep", naps.append)
    return naps


def test_one_request_when_nothing_goes_wrong(fetch, server):
    assert fetch() == CONTENT
    assert server.ranges == [None]


@pytest.mark.parametrize("size", [len(CONTENT), None])
def test_cut_connections_are_continued_where_they_broke(fetch, server, size):
    step = 2**16  # whole chunks, so that nothing is asked for twice
    assert fetch(server.cut(step), server.cut(step), server.cut(0), size=size) == CONTENT
    assert server.ranges == [None, f"bytes={step}-", f"bytes={2 * step}-", f"bytes={2 * step}-"]


def test_bytes_of_an_earlier_run_are_not_asked_for_again(fetch, server, part):
    part.write_bytes(CONTENT[:12345])
    assert fetch() == CONTENT
    assert server.ranges == ["bytes=12345-"]


def test_a_complete_part_asks_for_nothing(fetch, server, part):
    part.write_bytes(CONTENT)
    assert fetch() == CONTENT
    assert server.asked == []


def test_a_server_that_ignores_range_starts_over(fetch, server, part):
    part.write_bytes(b"?" * 500)
    assert fetch(server.ignore_range) == CONTENT


def test_a_part_longer_than_the_file_starts_over(fetch, server, part):
    part.write_bytes(b"?" * (len(CONTENT) + 10))
    assert fetch() == CONTENT


@pytest.mark.parametrize("kind", ["text/html; charset=utf-8", "application/octet-stream"])
@pytest.mark.parametrize("had", [0, 700])
def test_html_in_place_of_the_file_is_named_and_nothing_is_lost(fetch, server, part, kind, had):
    part.write_bytes(CONTENT[:had])
    with pytest.raises(MirrorError, match=r"page of HTML.*Quota exceeded"):
        fetch(server.page(content_type=kind))
    assert part.read_bytes() == CONTENT[:had]
    assert len(server.asked) == 1


def test_a_page_need_not_begin_like_one(fetch, server):
    with pytest.raises(MirrorError, match=r"page of HTML.*Sorry"):
        fetch(server.page("Sorry, try later"))


def test_a_file_that_ends_early_without_a_word_is_continued(fetch, server):
    assert fetch(server.no_length(2**16)) == CONTENT
    assert server.ranges == [None, f"bytes={2**16}-"]


@pytest.mark.parametrize("length", [100, len(CONTENT) + 1])
def test_another_length_than_the_official_one_is_refused_before_a_byte_is_written(fetch, server, part, length):
    with pytest.raises(MirrorError, match=rf"offers {length:,} bytes, the official file has {len(CONTENT):,}"):
        fetch(server.wrong_length(length))
    assert not part.exists()


def test_more_bytes_than_the_file_has_are_refused(fetch, server, part):
    with pytest.raises(MirrorError, match="sends more than"):
        fetch(server.endless)
    assert part.stat().st_size <= len(CONTENT)


def test_other_bytes_than_asked_for_are_not_appended(fetch, server, part):
    part.write_bytes(CONTENT[:700])
    with pytest.raises(MirrorError, match="not the bytes that were asked for"):
        fetch(server.other_range)
    assert part.read_bytes() == CONTENT[:700]


def test_a_silent_server_is_asked_again(fetch, server):
    assert fetch(server.stall(2**16)) == CONTENT
    assert server.ranges == [None, f"bytes={2**16}-"]


@pytest.mark.parametrize("code", [429, 503])
def test_retry_after_is_honoured(fetch, server, naps, code):
    assert fetch(server.status(code, Retry_After="7")) == CONTENT
    assert naps == [7]


def test_retry_after_may_be_a_date(fetch, server, naps):
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=8), usegmt=True)
    assert fetch(server.status(503, Retry_After=date)) == CONTENT
    assert naps == [pytest.approx(7.5, abs=1.5)]


def test_a_server_that_asks_for_hours_is_left(fetch, server, naps):
    with pytest.raises(MirrorError, match="come back in 86400 seconds"):
        fetch(server.status(429, Retry_After="86400"))
    assert naps == []


def test_waits_grow_and_tries_end(fetch, server, naps):
    patience = Patience(tries=4, first_wait=1.0)
    with pytest.raises(MirrorError, match="given up after 4 tries: HTTP 503"):
        fetch(*[server.status(503)] * 9, patience=patience)
    assert naps == [1, 2, 4]
    assert len(server.asked) == 4


def test_headway_begins_the_count_anew(fetch, server):
    faults = [server.cut(2**16), server.status(503), server.status(500), server.cut(2**16)]
    assert fetch(*faults, server.status(502), server.cut(0)) == CONTENT


def test_what_does_not_exist_is_asked_for_once(server, session, patience, part):
    with pytest.raises(MirrorError, match="HTTP 404"):
        download(session, lambda: server.url("/nothing"), part, size=5, patience=patience)
    assert len(server.asked) == 1


def test_nobody_listens(session, patience, part):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/file"
        with pytest.raises(MirrorError, match="given up after 4 tries: no connection"):
            download(session, lambda: url, part, size=5, patience=patience)


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.binary(max_size=200_000).map(lambda content: b"\0" + content),  # no page of HTML
    faults=st.lists(
        st.one_of(
            st.tuples(st.just("cut"), st.integers(0, 200_000)),
            st.just(("ignore", 0)),
            st.sampled_from([("status", 429), ("status", 503), ("status", 500)]),
        ),
        max_size=6,
    ),
)
def test_any_mixture_of_faults_ends_with_the_right_bytes(server, tmp_path, content, faults):
    make = {"cut": server.cut, "ignore": lambda _: server.ignore_range, "status": server.status}
    server.files[PATH] = content
    server.faults[PATH] = [make[kind](value) for kind, value in faults]
    part = tmp_path / "any.part"
    part.unlink(missing_ok=True)
    patience = Patience(tries=len(faults) + 1, first_wait=0.0)
    with requests.Session() as session:  # a new one: a connection kept from the last example would be one more fault
        download(session, lambda: server.url(PATH), part, size=len(content), patience=patience)
    assert part.read_bytes() == content


def test_an_unusable_address_is_no_reason_to_retry(session, patience, part):
    with pytest.raises(MirrorError):
        download(session, lambda: "http://", part, size=5, patience=patience)


def test_certificates_that_fail_are_no_reason_to_retry(session, patience, part, monkeypatch):
    calls = []

    def refuse(*_, **__):
        calls.append(1)
        raise requests.exceptions.SSLError("certificate verify failed")

    monkeypatch.setattr(session, "get", refuse)
    with pytest.raises(MirrorError, match="no secure connection"):
        download(session, lambda: "https://example.org", part, size=5, patience=patience)
    assert calls == [1]
