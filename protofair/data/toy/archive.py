"""Archives whose bytes depend on their members alone: no clock, no user, no compressor's version."""

import gzip
import io
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

from protofair.core.atomic import replacing

Members = Iterable[tuple[str, bytes]]  # a name that ends in / is a folder
EPOCH = (1980, 1, 1, 0, 0, 0)  # the first moment a zip file can hold


def write_zip(path: Path, members: Members) -> None:
    """A zip file; pictures are compressed already, so they are only stored."""
    with replacing(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members:
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.create_system = 3  # Unix, on whatever system this runs
            entry.external_attr = (0o40755 << 16 | 0x10) if name.endswith("/") else 0o100644 << 16
            archive.writestr(entry, content)


def write_tar_gz(path: Path, members: Members) -> None:
    """A gzipped tar file; at level 0 its bytes are the same with every zlib."""
    with (
        replacing(path) as file,
        gzip.GzipFile(filename="", mode="wb", fileobj=file, compresslevel=0, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for name, content in members:
            entry = tarfile.TarInfo(name.rstrip("/"))
            entry.type, entry.mode = (tarfile.DIRTYPE, 0o755) if name.endswith("/") else (tarfile.REGTYPE, 0o644)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
