"""One file from one source into a `.part`, continued by Range as often as it takes."""

import re
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import requests
from tqdm import tqdm

from protofair.data.acquire.digest import progress_bar
from protofair.data.acquire.web import (
    Interrupted,
    MirrorError,
    Patience,
    get,
    html_title,
    is_html,
    looks_like_html,
    one_line,
)

_CHUNK = 2**16  # what a cut connection can cost at most
_MOST_UNKNOWN = 2**30  # a file of unknown size (a label table) is smaller than this


def download(
    session: requests.Session, locate: Callable[[], str], part: Path, *, size: int | None, patience: Patience
) -> None:
    """Bring `part` to its full length; its bytes so far are kept and only the rest is asked for.

    `locate` gives the URL and is called before every try. Raises a `MirrorError` when the source does not have the file
    or stays silent. Whether the bytes are the right ones is for the caller to check.
    """
    failures = 0
    with progress_bar(part.name.removesuffix(".part"), total=size, initial=_length(part)) as bar:
        while True:
            have = _length(part)
            if size is not None and have == size:
                return
            try:
                _continue(get(session, locate(), patience=patience, begin=have), part, have, size, bar)
                return
            except Interrupted as interruption:
                failures = 1 if _length(part) - have >= patience.headway else failures + 1
                if failures >= patience.tries:
                    raise MirrorError(f"given up after {failures} tries: {interruption}") from None
                patience.pause(failures, interruption.retry_after)


def _continue(response: requests.Response, part: Path, have: int, size: int | None, bar: "tqdm[Any]") -> None:
    """Read one response to its end; nothing is written before it is known to be what was asked for."""
    with response:
        if response.status_code == 416:
            part.unlink(missing_ok=True)  # longer than what the server has: not the beginning of this file
            raise Interrupted("the bytes fetched earlier do not belong to this file")
        begin = _first_byte(response, have, size)
        chunks = _chunks(response)
        first = next(chunks, b"")
        if is_html(response) or (begin == 0 and looks_like_html(first)):
            raise MirrorError(f'a page of HTML in place of the file: "{html_title(first.decode(errors="replace"))}"')
        _check_length(response, begin, size)
        limit = size if size is not None else _MOST_UNKNOWN
        bar.n = begin
        with part.open("ab" if begin else "wb") as file:
            for chunk in chain([first], chunks):
                if file.tell() + len(chunk) > limit:
                    raise MirrorError(f"sends more than {limit:,} bytes")
                file.write(chunk)
                bar.update(len(chunk))
            length = file.tell()
    if size is not None and length < size:
        raise Interrupted(f"ended after {length:,} of {size:,} bytes")


def _first_byte(response: requests.Response, have: int, size: int | None) -> int:
    """Where the response begins: at `have` if Range was honoured, at 0 if it was ignored."""
    if response.status_code == 200:
        return 0
    found = re.fullmatch(r"bytes (\d+)-(\d+)/(\d+|\*)", response.headers.get("Content-Range", "").strip())
    if response.status_code != 206 or found is None or int(found[1]) != have:
        raise MirrorError(f"HTTP {response.status_code}, not the bytes that were asked for")
    if size is not None and found[3] not in ("*", str(size)):
        raise MirrorError(f"offers {int(found[3]):,} bytes, the official file has {size:,}")
    return have


def _check_length(response: requests.Response, begin: int, size: int | None) -> None:
    length = response.headers.get("Content-Length", "")
    if response.headers.get("Content-Encoding", "identity") != "identity":
        return  # the length on the wire says nothing about the file's
    if size is not None and length.isdigit() and begin + int(length) != size:
        raise MirrorError(f"offers {begin + int(length):,} bytes, the official file has {size:,}")


def _chunks(response: requests.Response) -> Iterator[bytes]:
    try:
        yield from response.iter_content(_CHUNK)
    except requests.RequestException as error:
        raise Interrupted(f"the connection broke ({one_line(error)})") from None


def _length(part: Path) -> int:
    return part.stat().st_size if part.exists() else 0
