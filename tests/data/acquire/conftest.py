"""A web server that misbehaves as told, and small data sets in the official formats with a table of their hashes."""

import hashlib
import io
import re
import tarfile
import threading
import zipfile
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import requests

from protofair.core.strict import parse
from protofair.data.acquire.table import Dataset, Table
from protofair.data.acquire.web import Patience

QUOTA_PAGE = (
    "<!DOCTYPE html><html><head><title>Google Drive - Quota exceeded</title></head>"
    '<p class="uc-error-subcaption">Too many users have viewed or downloaded this file recently.</p></html>'
)


class Handler(BaseHTTPRequestHandler):
    server: "Server"
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = self.path.split("?")[0]
        self.server.asked.append((path, self.headers.get("Range")))
        self.content = self.server.files.get(path, b"")
        found = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range") or "")
        self.begin = int(found[1]) if found else 0
        faults = self.server.faults.get(path, [])
        if faults:
            faults.pop(0)(self)
        elif path not in self.server.files:
            self.answer(404, b"no such file", {"Content-Type": "text/plain"})
        elif self.begin > len(self.content) or (self.begin and self.begin == len(self.content)):
            self.answer(416, b"", {"Content-Range": f"bytes */{len(self.content)}"})
        else:
            self.send(self.content[self.begin :])

    def send(self, body: bytes, *, length: int | None = None) -> None:
        """The right answer to a Range request, with `body` in place of its body and `length` in place of its length."""
        last = len(self.content) - 1
        partial = {"Content-Range": f"bytes {self.begin}-{last}/{len(self.content)}"} if self.begin else {}
        self.answer(206 if self.begin else 200, body, partial, length=length)

    def answer(self, status: int, body: bytes, headers: dict[str, str], *, length: int | None = None) -> None:
        self.send_response(status)
        for name, value in ({"Content-Type": "application/octet-stream"} | headers).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


Fault = Callable[[Handler], None]


class Server(ThreadingHTTPServer):
    """Serves `files`; each request to a path first uses up one of its `faults`. `asked` logs path and Range."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files: dict[str, bytes] = {}
        self.faults: dict[str, list[Fault]] = {}
        self.asked: list[tuple[str, str | None]] = []
        self.release = threading.Event()

    def handle_error(self, *_: object) -> None:
        """A client that hangs up is part of the test."""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def url(self, path: str) -> str:
        return f"{self.address}{path}"

    @property
    def ranges(self) -> list[str | None]:
        return [range_ for _, range_ in self.asked]

    @staticmethod
    def cut(after: int) -> Fault:
        """Promise everything, send `after` bytes, hang up."""

        def fault(handler: Handler) -> None:
            rest = handler.content[handler.begin :]
            handler.send(rest[:after], length=len(rest))
            handler.close_connection = True

        return fault

    @staticmethod
    def ignore_range(handler: Handler) -> None:
        handler.answer(200, handler.content, {})

    @staticmethod
    def page(body: str = QUOTA_PAGE, content_type: str = "text/html; charset=utf-8") -> Fault:
        return lambda handler: handler.answer(200, body.encode(), {"Content-Type": content_type})

    @staticmethod
    def wrong_bytes(handler: Handler) -> None:
        handler.send(bytes(byte ^ 255 for byte in handler.content[handler.begin :]))

    @staticmethod
    def status(code: int, **headers: str) -> Fault:
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        return lambda handler: handler.answer(code, b"later", fields)

    @staticmethod
    def wrong_length(length: int) -> Fault:
        return lambda handler: handler.send(handler.content[handler.begin :][:length], length=length)

    @staticmethod
    def other_range(handler: Handler) -> None:
        end = len(handler.content)
        handler.answer(206, handler.content[1:], {"Content-Range": f"bytes 1-{end - 1}/{end}"})

    @staticmethod
    def endless(handler: Handler) -> None:
        """Chunks without a length, more of them than the file has."""
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for _ in range(len(handler.content) // 1000 + 100):
            handler.wfile.write(b"3e8\r\n" + b"x" * 1000 + b"\r\n")
        handler.wfile.write(b"0\r\n\r\n")

    @staticmethod
    def no_length(after: int) -> Fault:
        """Promise nothing, send `after` bytes, hang up as if that were all."""

        def fault(handler: Handler) -> None:
            handler.send_response(200)
            handler.send_header("Connection", "close")
            handler.end_headers()
            handler.wfile.write(handler.content[:after])

        return fault

    def stall(self, after: int) -> Fault:
        """Send `after` bytes, then nothing until the test is over."""

        def fault(handler: Handler) -> None:
            rest = handler.content[handler.begin :]
            handler.send(rest[:after], length=len(rest))
            handler.wfile.flush()
            self.release.wait(30)
            handler.close_connection = True

        return fault


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield server
    server.release.set()
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def session() -> Iterator[requests.Session]:
    with requests.Session() as session:
        session.trust_env = False
        yield session


@pytest.fixture
def patience() -> Patience:
    """Enough for a local server, with no time to wait."""
    return Patience(tries=4, headway=1000, first_wait=0.0, longest_wait=10.0, connect=2.0, silence=0.4)


class Material:
    """A data set of eight small "images" in its official files."""

    def __init__(self, name: str, images: dict[str, bytes], tables: dict[str, bytes], archives: dict[str, list[str]]):
        self.name, self.images, self.tables = name, images, tables
        self.files = dict(tables)
        for archive, members in archives.items():
            self.files[archive] = pack(archive, {member: images[member.split("/")[-1]] for member in members})

    def dataset(
        self, *, names: str, also: dict[str, list[str]] | None = None, base: str = "http://127.0.0.1:9"
    ) -> Dataset:
        """Its entry of a table, with one http source `base/<file>` a file."""
        files = {
            name: {
                "size": len(content),
                "md5": hashlib.md5(content, usedforsecurity=False).hexdigest(),
                "also": (also or {}).get(name, []),
                "sources": [{"kind": "http", "url": f"{base}/{name}"}],
            }
            for name, content in self.files.items()
        }
        entry = {
            "title": self.name,
            "page": "https://example.org/page",
            "licence": {"name": "Terms", "url": "https://example.org/terms", "terms": "Research only."},
            "citation": "A. Author. A Title. 2017.",
            "images": {"count": len(self.images), "names": names},
            "files": files,
        }
        return parse(Table, {"version": 1, "datasets": {self.name: entry}}, where="table").datasets[self.name]

    def write(self, folder: Path, *names: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for name in names:
            (folder / name).write_bytes(self.files[name])

    def extract(self, folder: Path, names: list[str] | None = None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for name in self.images if names is None else names:
            (folder / name).write_bytes(self.images[name])


def pack(archive: str, members: dict[str, bytes]) -> bytes:
    """A .zip, .tar or .tar.gz with these members."""
    buffer = io.BytesIO()
    if archive.endswith(".zip"):
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
            for name, content in members.items():
                file.writestr(name, content)
    else:
        with tarfile.open(fileobj=buffer, mode="w:gz" if archive.endswith(".gz") else "w") as tar:
            for name, content in members.items():
                entry = tarfile.TarInfo(name)
                entry.size = len(content)
                tar.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def noise(name: str, size: int = 3000) -> bytes:
    """Bytes that depend on a name and do not compress."""
    blocks = (hashlib.sha256(f"{name}{index}".encode()).digest() for index in range(size // 32))
    return b"".join(blocks)


@pytest.fixture
def celeba() -> Material:
    names = [f"{number:06d}.jpg" for number in range(1, 9)]
    tables = {name: noise(name) for name in ("list_attr_celeba.txt", "list_eval_partition.txt", "identity_CelebA.txt")}
    archives = {"img_align_celeba.zip": [f"img_align_celeba/{name}" for name in names]}
    return Material("celeba", {name: noise(name) for name in names}, tables, archives)


@pytest.fixture
def utkface() -> Material:
    names = [f"{20 + number}_{number % 2}_{number % 5}_2017011217{number:07d}.jpg.chip.jpg" for number in range(8)]
    return Material(
        "utkface", {name: noise(name) for name in names}, {}, {"UTKFace.tar.gz": [f"UTKFace/{name}" for name in names]}
    )


@pytest.fixture
def nih() -> Material:
    names = [f"{number:08d}_000.png" for number in range(1, 9)]
    tables = {name: noise(name) for name in ("Data_Entry_2017_v2020.csv", "train_val_list.txt", "test_list.txt")}
    archives = {
        "images_001.tar.gz": [f"images/{name}" for name in names[:5]],
        "images_002.tar.gz": [f"images/{name}" for name in names[5:]],
    }
    return Material("nih", {name: noise(name) for name in names}, tables, archives)


@pytest.fixture(name="pack")
def pack_fixture() -> Callable[[str, dict[str, bytes]], bytes]:
    return pack
