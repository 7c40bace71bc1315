"""Arrays on disk read and written a piece at a time, through files: the pages of a memory map would count as memory."""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

CHUNK_BYTES = 2**24


def read_chunks(path: Path) -> Iterator[np.ndarray]:
    """The rows of a uint8 .npy file in their order, some at a time: [n, ...]."""
    array = np.load(path, mmap_mode="r")
    row = int(np.prod(array.shape[1:]))
    step = max(1, CHUNK_BYTES // row)
    with path.open("rb") as file:
        file.seek(array.offset)
        for start in range(0, len(array), step):
            count = min(step, len(array) - start)
            yield np.fromfile(file, dtype=np.uint8, count=count * row).reshape(count, *array.shape[1:])


def write_rows(path: Path, source: Path, rows: np.ndarray) -> None:
    """Write the chosen rows, int64 [n] ascending, of the uint8 .npy file `source` as another one."""
    header = np.lib.format.header_data_from_array_1_0(np.load(source, mmap_mode="r"))
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, header | {"shape": (len(rows), *header["shape"][1:])})
        start = 0
        for chunk in read_chunks(source):
            first, last = np.searchsorted(rows, (start, start + len(chunk)))
            file.write(chunk[rows[first:last] - start].data)
            start += len(chunk)
        file.flush()
        os.fsync(file.fileno())
