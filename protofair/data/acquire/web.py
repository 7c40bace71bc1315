"""One HTTP request, its failures sorted in two: those worth another try, and those that are not."""

import email.utils
import re
import time
from dataclasses import dataclass
from datetime import UTC, datetime

import requests

WORTH_ANOTHER_TRY = (408, 425, 429, 500, 502, 503, 504)


@dataclass(frozen=True)
class Patience:
    """How long to wait and how often to try; seconds."""

    tries: int = 5  # in a row without headway
    headway: int = 2**20  # bytes that make a try worth its while: the count begins anew
    first_wait: float = 1.0  # doubled with every try in vain
    longest_wait: float = 300.0  # a server that asks for more (Retry-After) is left for the next mirror
    connect: float = 15.0
    silence: float = 60.0  # between two bytes

    def pause(self, failures: int, asked: float | None) -> None:
        """Wait before the next try, as long as the server asked for, or longer with every failure."""
        time.sleep(min(self.longest_wait, self.first_wait * 2 ** (failures - 1)) if asked is None else asked)


class MirrorError(Exception):
    """This source cannot give the file; the next one may."""


class Interrupted(Exception):  # noqa: N818 - it is not the end
    """Worth another try, after `retry_after` seconds if the server said so."""

    def __init__(self, reason: str, *, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


def get(session: requests.Session, url: str, *, patience: Patience, begin: int = 0) -> requests.Response:
    """Ask for the bytes of `url` from `begin` on; the body is read as a stream."""
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={begin}-"} if begin else {})
    try:
        response = session.get(url, headers=headers, stream=True, timeout=(patience.connect, patience.silence))
    except requests.exceptions.SSLError as error:
        raise MirrorError(f"no secure connection ({one_line(error)})") from None
    except (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError) as error:
        raise Interrupted(f"no connection ({one_line(error)})") from None
    except requests.RequestException as error:
        raise MirrorError(one_line(error)) from None
    if response.status_code in WORTH_ANOTHER_TRY:
        wait = _seconds(response.headers.get("Retry-After"))
        response.close()
        status = f"HTTP {response.status_code} {response.reason}"
        if wait is not None and wait > patience.longest_wait:
            raise MirrorError(f"{status}, come back in {wait:.0f} seconds")
        raise Interrupted(status, retry_after=wait)
    if response.status_code >= 400 and response.status_code != 416:
        response.close()
        raise MirrorError(f"HTTP {response.status_code} {response.reason}")
    return response


def is_html(response: requests.Response) -> bool:
    return response.headers.get("Content-Type", "").strip().lower().startswith(("text/html", "application/xhtml"))


def looks_like_html(content: bytes) -> bool:
    return content.lstrip()[:32].lower().startswith((b"<!doctype html", b"<html"))


def html_title(page: str) -> str:
    """What a page says it is: its title, or the beginning of its text."""
    title = re.search(r"<title[^>]*>(.*?)</title>", page, re.IGNORECASE | re.DOTALL)
    text = title[1] if title else re.sub(r"<[^>]*>", " ", page)
    return " ".join(text.split())[:120]


def _seconds(retry_after: str | None) -> float | None:
    """The Retry-After header: a number of seconds, or a date."""
    if retry_after is None:
        return None
    if retry_after.strip().isdigit():
        return float(retry_after)
    try:
        date = email.utils.parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    return max(0.0, (date.replace(tzinfo=date.tzinfo or UTC) - datetime.now(UTC)).total_seconds())


def one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200]
