"""Decode every image into one array on disk, in parallel; whenever it is killed, only the open blocks are lost.

The folder of an unfinished set holds the whole array from the start (`all.npy`, sparse) and a record of finished blocks
(`done.jsonl`); a block is entered after its pixels have reached the disk. The record begins with a hash of everything
the pixels depend on: where that differs, the work begins anew.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from protofair.core.errors import UserError
from protofair.data.prepare.blocks import Block, Finished, Recipe, pack_block, start_worker
from protofair.data.prepare.decode import LIBRARIES
from protofair.data.raw import Entry

FORMAT = 1  # raise it when the pixels change for the same files
BLOCK_BYTES = 2**24
BLOCK_IMAGES = 256
ARRAY, RECORD = "all.npy", "done.jsonl"


@dataclass(frozen=True)
class Pixels:
    """The array of all images, in the order they were given."""

    path: Path
    digests: list[str]  # sha256 of each image file
    unreadable: dict[int, str]  # row: why


def pack(
    entries: Sequence[Entry],
    folder: Path,
    recipe: Recipe,
    *,
    workers: int,
    advance: Callable[[int], object] = lambda images: None,
    content: str = "",
) -> Pixels:
    """Pack `entries` into `folder`, or finish what was begun there; `content` is a hash of the raw files, if known.

    `advance` is told the number of images of each finished block, found or made.
    """
    per_block = max(1, min(BLOCK_IMAGES, BLOCK_BYTES // recipe.bytes_per_image))
    starts = range(0, len(entries), per_block)
    array, record = folder / ARRAY, folder / RECORD
    binding = _binding(entries, recipe, per_block, content)
    done = _read_record(record, binding) if array.is_file() else None
    if done is None:
        _start(folder, len(entries), recipe, binding)
        done = {}
    offset = np.load(array, mmap_mode="r").offset
    for finished in done.values():
        advance(len(finished.digests))
    todo = (
        Block(
            number,
            tuple(entries[start : start + per_block]),
            str(array),
            offset + start * recipe.bytes_per_image,
            recipe,
        )
        for number, start in enumerate(starts)
        if number not in done
    )
    if len(done) < len(starts):
        with record.open("a", encoding="utf-8") as file:
            for finished in _in_parallel(todo, workers, folder):
                file.write(json.dumps(asdict(finished)) + "\n")
                file.flush()
                os.fsync(file.fileno())
                done[finished.number] = finished
                advance(len(finished.digests))
    ordered = [done[number] for number in range(len(starts))]
    unreadable = {
        start + position: reason
        for start, finished in zip(starts, ordered, strict=True)
        for position, reason in finished.unreadable.items()
    }
    return Pixels(array, [digest for finished in ordered for digest in finished.digests], unreadable)


def _in_parallel(blocks: Iterator[Block], workers: int, folder: Path) -> Iterator[Finished]:
    """Pack blocks in `workers` processes, never with more than two a worker in hand; yields each as it is finished."""
    context = get_context("forkserver")  # the parent may have threads, with which a plain fork is not safe
    context.set_forkserver_preload(["protofair.data.prepare.blocks"])
    with ProcessPoolExecutor(workers, mp_context=context, initializer=start_worker) as pool:
        pending: set[Future[Finished]] = set()
        try:
            for block in blocks:
                pending.add(pool.submit(pack_block, block))
                if len(pending) >= 2 * workers:
                    finished, pending = wait(pending, return_when=FIRST_COMPLETED)
                    yield from (future.result() for future in finished)
            for future in pending:
                yield future.result()
        except BrokenProcessPool:
            raise UserError(
                f"{folder}: a worker was ended from outside, perhaps for lack of memory. Run the command again: it "
                f"continues; --workers {max(1, workers // 2)} needs less."
            ) from None
        finally:
            pool.shutdown(cancel_futures=True)


def _start(folder: Path, images: int, recipe: Recipe, binding: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    needed, free = images * recipe.bytes_per_image, shutil.disk_usage(folder).free
    if needed > free:
        raise UserError(f"{folder}: {needed:,} bytes are needed for the array, {free:,} are free. Free some space.")
    np.lib.format.open_memmap(folder / ARRAY, mode="w+", dtype=np.uint8, shape=(images, *recipe.shape))
    (folder / RECORD).write_text(json.dumps({"binding": binding}) + "\n", encoding="utf-8")


def _read_record(record: Path, binding: str) -> dict[int, Finished] | None:
    """The finished blocks, or None where the record belongs to something else; a line cut off by a kill is removed.

    Blocks with an unreadable image are tried again: perhaps it was the disk's fault.
    """
    if not record.is_file():
        return None
    content = record.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    lines = [json.loads(line) for line in whole.splitlines()]
    if not lines or lines[0] != {"binding": binding}:
        return None
    os.truncate(record, len(whole))
    return {line["number"]: Finished(**line) for line in lines[1:] if not line["unreadable"]}


def _binding(entries: Sequence[Entry], recipe: Recipe, per_block: int, content: str) -> str:
    decoders = [version(name) for name in LIBRARIES]
    facts = [FORMAT, decoders, asdict(recipe), per_block, content, [(entry.name, entry.size) for entry in entries]]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()
