"""One block of consecutive images: read, hash, decode, write to its place in the array. Runs in worker processes."""

import hashlib
import os
import signal
import threading
from dataclasses import dataclass
from multiprocessing import parent_process
from typing import Literal

import cv2
import numpy as np

from protofair.data.prepare.decode import BrokenImageError, decode
from protofair.data.raw import Entry


@dataclass(frozen=True)
class Recipe:
    """What decoding depends on."""

    size: int
    channels: int
    crop: Literal["none", "centre"]

    @property
    def shape(self) -> tuple[int, int, int]:
        return self.size, self.size, self.channels

    @property
    def bytes_per_image(self) -> int:
        return self.size * self.size * self.channels


@dataclass(frozen=True)
class Block:
    number: int
    entries: tuple[Entry, ...]
    path: str  # of the array's file
    offset: int  # of the block's first byte in it
    recipe: Recipe


@dataclass(frozen=True)
class Finished:
    """What is known of a block whose pixels are on disk."""

    number: int
    digests: list[str]  # sha256 of each image file; of an unreadable one maybe ''
    unreadable: dict[int, str]  # position in the block: why


def pack_block(block: Block) -> Finished:
    """Fill the block's place in the array; images that cannot be read stay black and are reported."""
    pixels = np.zeros((len(block.entries), *block.recipe.shape), dtype=np.uint8)
    digests = [""] * len(block.entries)
    unreadable = {}
    for position in sorted(range(len(block.entries)), key=lambda position: block.entries[position].position):
        try:
            content = block.entries[position].read()
            digests[position] = hashlib.sha256(content).hexdigest()
            pixels[position] = decode(
                content, size=block.recipe.size, channels=block.recipe.channels, crop=block.recipe.crop
            )
        except OSError as error:
            unreadable[position] = error.strerror or "damaged in its archive"
        except BrokenImageError as error:
            unreadable[position] = str(error)
    _write(block.path, pixels, block.offset)
    return Finished(block.number, digests, unreadable)


def start_worker() -> None:
    """Use one core, and end with the process that asked for the work even if that is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then ends the workers
    cv2.setNumThreads(1)
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)  # what cannot be read is reported
    threading.Thread(target=_follow_parent, daemon=True).start()


def _follow_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _write(path: str, pixels: np.ndarray, offset: int) -> None:
    """Write and wait for the disk; other than with a memory map, a full disk is an `OSError` here."""
    descriptor = os.open(path, os.O_WRONLY)
    try:
        rest = pixels.data.cast("B")
        while rest:
            written = os.pwrite(descriptor, rest, offset)
            rest, offset = rest[written:], offset + written
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
