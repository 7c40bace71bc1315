"""A `.tar.gz` becomes the plain `.tar` beside it, once; nothing is ever spread out on the disk.

So no member can be written outside a folder, and no link or device can be made: `raw.images_in_tar` refuses an archive
that tries. What is left to guard against is size.
"""

import gzip
import os
import zlib
from pathlib import Path

from protofair.core.atomic import sync_folder
from protofair.core.errors import UserError
from protofair.data.acquire.digest import progress_bar
from protofair.data.acquire.space import disk_full, is_disk_full, readable, require_space
from protofair.data.raw import MAX_RATIO, MAX_RATIO_FROM, images_in_tar

_BLOCK = 2**20


def unpacked_name(name: str) -> str | None:
    """`UTKFace.tar` for `UTKFace.tar.gz`, None for what is read as it is."""
    return name.removesuffix(".gz") if name.endswith(".tar.gz") else None


def unpacked_size(archive: Path) -> int:
    """What a gzip file says it unpacks to. It keeps 32 bits of that; images hardly shrink, so the rest can be told."""
    size = archive.stat().st_size
    with archive.open("rb") as file:
        file.seek(max(0, size - 4))
        low = int.from_bytes(file.read(4), "little")
    least = size * 99 // 100 - 2**10  # gzip adds a little to what it cannot shrink
    return low + -(-max(0, least - low) // 2**32) * 2**32


def unpack(archive: Path, target: Path) -> None:
    """Unpack `archive` to the plain tar file `target`, whole or not at all."""
    require_space(target.parent, unpacked_size(archive), purpose=f"unpacking {archive.name}")
    limit = max(MAX_RATIO_FROM, MAX_RATIO * archive.stat().st_size)
    part = target.with_name(f"{target.name}.part")
    try:
        _gunzip(archive, part, limit)
        for _ in images_in_tar(part):
            pass
        part.replace(target)
        sync_folder(target.parent)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise UserError(f"{archive}: not a whole gzip file ({error}). Delete it and acquire it again.") from None
    except OSError as error:
        raise disk_full(target.parent) if is_disk_full(error) else error from None
    finally:
        part.unlink(missing_ok=True)


def _gunzip(archive: Path, part: Path, limit: int) -> None:
    with (
        gzip.open(archive) as source,
        part.open("wb") as target,
        progress_bar(target.name, total=unpacked_size(archive)) as bar,
    ):
        while block := source.read(_BLOCK):
            if target.tell() + len(block) > limit:
                raise UserError(
                    f"{archive}: unpacks to more than {readable(limit)}: not the official archive, not used. Delete it."
                )
            target.write(block)
            bar.update(len(block))
        target.flush()
        os.fsync(target.fileno())
