"""The raw images of a data set by their official names, whether they lie in archives or in folders.

`acquire` leaves one folder per data set, data/raw/<key>/, with the label tables at its top and the images in any
mixture of

- `.zip` archives, read in place (stored or deflated members),
- plain `.tar` archives, read in place by offset; `acquire` unpacks a `.tar.gz` once to the `.tar` beside it,
- folders, at any depth, or links to folders, which stand for the images directly in them.

So no archive is ever spread over the disk as a hundred thousand files: nothing in it can be written anywhere, and
reading in `reading_order` is sequential. An `Entry` is small and picklable; worker processes call `entry.read()`.
"""

import os
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from protofair.core.errors import UserError

IMAGE_SUFFIXES = (".jpg", ".jpeg", ".png")
MAX_IMAGE_BYTES = 64 * 2**20  # the largest official image has 2 MB
FETCH_AGAIN = "Delete it and acquire it again."
MAX_IMAGES = 2_000_000
# JPEG and PNG hardly shrink: an archive that unpacks to this many times its size, unless it is tiny, is a bomb.
MAX_RATIO = 20
MAX_RATIO_FROM = 64 * 2**20

_ZIP_LOCAL_HEADER = struct.Struct("<4s5H3I2H")


@dataclass(frozen=True, slots=True)
class Entry:
    """An image in a file of its own; the base of the two that lie in an archive."""

    name: str  # the official file name, without folders
    path: str  # the image file, or the archive that holds it
    size: int  # bytes of the image file

    @property
    def position(self) -> tuple[str, int]:
        """Where its bytes begin: entries sorted by it are read in the order of the disk."""
        return self.path, 0

    def read(self) -> bytes:
        """The image file's bytes; an `OSError` where they are damaged or gone."""
        return Path(self.path).read_bytes()


@dataclass(frozen=True, slots=True)
class TarEntry(Entry):
    """An image in a plain tar archive."""

    offset: int

    @property
    def position(self) -> tuple[str, int]:
        return self.path, self.offset

    def read(self) -> bytes:
        return _read_at(self.path, self.offset, self.size)


@dataclass(frozen=True, slots=True)
class ZipEntry(Entry):
    """An image in a zip archive."""

    offset: int  # of the member's local header
    stored: int  # bytes in the archive
    deflated: bool
    crc: int

    @property
    def position(self) -> tuple[str, int]:
        return self.path, self.offset

    def read(self) -> bytes:
        header = _ZIP_LOCAL_HEADER.unpack(_read_at(self.path, self.offset, _ZIP_LOCAL_HEADER.size))
        start = self.offset + _ZIP_LOCAL_HEADER.size + header[9] + header[10]  # lengths of the name and the extra field
        content = _read_at(self.path, start, self.stored)
        if self.deflated:
            try:
                content = zlib.decompressobj(-zlib.MAX_WBITS).decompress(content, self.size + 1)
            except zlib.error as error:
                raise OSError(f"{self.path}: {self.name}: {error}") from None
        if len(content) != self.size or zlib.crc32(content) != self.crc:
            raise OSError(f"{self.path}: {self.name}: damaged (checksum differs)")
        return content


def find_images(folder: Path) -> list[Entry]:
    """Every image under `folder`, sorted by name; what cannot be trusted or is there twice is a `UserError`."""
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder. Acquire the data set: protofair acquire {folder.name}")
    found: dict[str, Entry] = {}
    for place in sorted(folder.iterdir()):
        for entry in _images_at(place):
            if entry.size > MAX_IMAGE_BYTES:
                raise UserError(
                    f"{entry.path}: '{entry.name}' claims {entry.size} bytes: not an image of this data set."
                )
            twin = found.setdefault(entry.name, entry)
            if twin is not entry:
                raise UserError(
                    f"{folder}: '{entry.name}' is there twice, in {twin.path} and {entry.path}. Remove one."
                )
            if len(found) > MAX_IMAGES:
                raise UserError(f"{folder}: more than {MAX_IMAGES} images: not one of the data sets known here.")
    return [found[name] for name in sorted(found)]


def reading_order(entries: Iterable[Entry]) -> list[Entry]:
    """The same entries in the order of the disk."""
    return sorted(entries, key=lambda entry: entry.position)


def find_table(folder: Path, *names: str) -> Path:
    """The first of several file names (official first, then the other forms of it) that lies in a raw folder."""
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise UserError(f"{folder}: no {' or '.join(names)}. Fetch the data set first: protofair acquire --help")


def is_image(name: str) -> bool:
    """Whether an archive member or a file is an image, by name; macOS's `._` shadows are not."""
    base = PurePosixPath(name).name
    return base.lower().endswith(IMAGE_SUFFIXES) and not base.startswith(".")


def images_in_tar(path: Path) -> Iterator[TarEntry]:
    """The images of a plain tar archive; a link, a device or a path that leads out of it is a `UserError`."""
    end = 0
    try:
        with tarfile.open(path, "r:") as archive:
            for member in archive:
                _refuse_escape(path, member.name)
                if not (member.isfile() or member.isdir()) or member.issparse():
                    raise UserError(
                        f"{path}: '{member.name}' is a link or a device: not the official archive, not used."
                    )
                end = member.offset_data + -(-member.size // tarfile.BLOCKSIZE) * tarfile.BLOCKSIZE
                if member.isfile() and is_image(member.name):
                    yield TarEntry(PurePosixPath(member.name).name, str(path), member.size, member.offset_data)
        if any(_read_at(str(path), end, tarfile.BLOCKSIZE)):  # tarfile takes a broken header for the end
            raise tarfile.ReadError(f"no header and no end at byte {end}")
    except (tarfile.TarError, OSError) as error:
        raise UserError(f"{path}: not a whole tar archive ({error}). {FETCH_AGAIN}") from None


def images_in_zip(path: Path) -> Iterator[ZipEntry]:
    """The images of a zip archive; a link, an encrypted member or a path that leads out of it is a `UserError`."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except zipfile.BadZipFile as error:
        raise UserError(f"{path}: not a whole zip archive ({error}). {FETCH_AGAIN}") from None
    if sum(member.file_size for member in members) > max(MAX_RATIO_FROM, MAX_RATIO * path.stat().st_size):
        raise UserError(f"{path}: unpacks to more than {MAX_RATIO} times its size: not the official archive, not used.")
    for member in members:
        _refuse_escape(path, member.filename)
        if (member.external_attr >> 16) & 0o170000 not in (0, 0o100000, 0o040000) or member.flag_bits & 1:
            raise UserError(f"{path}: '{member.filename}' is a link, a device or encrypted: not used.")
        if member.is_dir() or not is_image(member.filename) or "__MACOSX" in member.filename:
            continue
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise UserError(f"{path}: '{member.filename}' is compressed in a way not read here. Zip it with deflate.")
        yield ZipEntry(
            name=PurePosixPath(member.filename).name,
            path=str(path),
            size=member.file_size,
            offset=member.header_offset,
            stored=member.compress_size,
            deflated=member.compress_type == zipfile.ZIP_DEFLATED,
            crc=member.CRC,
        )


def images_in_folder(folder: Path) -> Iterator[Entry]:
    """The image files under a folder at any depth, or directly in a linked one; other links are not followed."""
    for parent, folders, names in os.walk(folder):
        folders[:] = [] if folder.is_symlink() else sorted(folders)
        for name in sorted(filter(is_image, names)):
            path = Path(parent, name)
            try:
                size = path.stat().st_size
            except OSError:  # a link to what is gone: the image is missing
                continue
            yield Entry(name, str(path), size)


def _images_at(place: Path) -> Iterator[Entry]:
    if place.name.startswith("."):
        return
    if not place.exists():
        raise UserError(f"{place}: a link to {place.readlink()}, which is gone. Remove the link and acquire it again.")
    if place.is_dir():
        yield from images_in_folder(place)
    elif place.suffix == ".zip":
        yield from images_in_zip(place)
    elif place.suffix == ".tar":
        yield from images_in_tar(place)
    elif is_image(place.name):
        yield Entry(place.name, str(place), place.stat().st_size)


def _refuse_escape(path: Path, member: str) -> None:
    parts = PurePosixPath(member.replace("\\", "/"))
    if parts.is_absolute() or ".." in parts.parts:
        raise UserError(f"{path}: '{member}' leads out of the archive: not the official one, not used.")


def _read_at(path: str, offset: int, size: int) -> bytes:
    """Opened anew each time: microseconds beside a decoding, and nobody reads on from a file that was replaced."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        content = os.pread(descriptor, size, offset)
    finally:
        os.close(descriptor)
    if len(content) != size:
        raise OSError(f"{path}: ends before its member at byte {offset} does")
    return content
