import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import numpy as np
import psutil
import pytest
import simplejpeg

from protofair.core.errors import UserError
from protofair.data.prepare import pack as module
from protofair.data.prepare.blocks import Block, Finished, Recipe
from protofair.data.prepare.decode import decode
from protofair.data.prepare.pack import pack
from protofair.data.raw import Entry, find_images

RECIPE = Recipe(size=16, channels=3, crop="none")


@pytest.fixture
def entries(tmp_path: Path) -> list[Entry]:
    """Twenty small JPEGs."""
    folder = tmp_path / "raw" / "images"
    folder.mkdir(parents=True)
    for index in range(20):
        pixels = np.random.default_rng(index).integers(0, 256, (24, 24, 3), dtype=np.uint8)
        (folder / f"{index:03d}.jpg").write_bytes(simplejpeg.encode_jpeg(pixels))
    return find_images(tmp_path / "raw")


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK_IMAGES", 3)


@pytest.fixture
def packed_blocks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of the blocks that were really decoded."""
    numbers: list[int] = []
    original = module._in_parallel

    def spy(blocks: Iterator[Block], workers: int, folder: Path) -> Iterator[Finished]:
        for finished in original(blocks, workers, folder):
            numbers.append(finished.number)
            yield finished

    monkeypatch.setattr(module, "_in_parallel", spy)
    return numbers


def test_rows_are_the_entries_in_their_order(entries: list[Entry], tmp_path: Path) -> None:
    counts: list[int] = []
    pixels = pack(entries, tmp_path / "out", RECIPE, workers=2, advance=counts.append)
    images = np.load(pixels.path)
    assert images.shape == (20, 16, 16, 3)
    for image, entry in zip(images, entries, strict=True):
        assert np.array_equal(image, decode(entry.read(), size=16, channels=3))
    assert len(set(pixels.digests)) == 20
    assert pixels.unreadable == {}
    assert sum(counts) == 20
    assert max(counts) == 3


def test_the_number_of_workers_does_not_matter(entries: list[Entry], tmp_path: Path) -> None:
    one, three = (pack(entries, tmp_path / str(workers), RECIPE, workers=workers) for workers in (1, 3))
    assert one.path.read_bytes() == three.path.read_bytes()
    assert one.digests == three.digests


def test_images_that_cannot_be_read_are_reported_and_black(entries: list[Entry], tmp_path: Path) -> None:
    Path(entries[4].path).write_bytes(b"<html>")
    Path(entries[7].path).unlink()
    pixels = pack(entries, tmp_path / "out", RECIPE, workers=1)
    assert pixels.unreadable == {4: "neither a JPEG nor a PNG", 7: "No such file or directory"}
    assert np.flatnonzero(~np.load(pixels.path).any(axis=(1, 2, 3))).tolist() == [4, 7]
    assert pack(entries, tmp_path / "out", RECIPE, workers=1) == pixels


def test_an_unreadable_image_is_tried_again(entries: list[Entry], tmp_path: Path, packed_blocks: list[int]) -> None:
    path, content = Path(entries[4].path), Path(entries[4].path).read_bytes()
    path.unlink()
    assert list(pack(entries, tmp_path / "out", RECIPE, workers=1).unreadable) == [4]
    path.write_bytes(content)
    packed_blocks.clear()
    pixels = pack(entries, tmp_path / "out", RECIPE, workers=1)
    assert packed_blocks == [1]
    assert pixels.unreadable == {}
    assert np.array_equal(np.load(pixels.path)[4], decode(content, size=16, channels=3))


def test_what_is_done_is_not_done_again(entries: list[Entry], tmp_path: Path, packed_blocks: list[int]) -> None:
    first = pack(entries, tmp_path / "out", RECIPE, workers=1)
    assert sorted(packed_blocks) == list(range(7))
    packed_blocks.clear()
    counts: list[int] = []
    assert pack(entries, tmp_path / "out", RECIPE, workers=1, advance=counts.append) == first
    assert packed_blocks == []
    assert sum(counts) == 20


def test_a_line_cut_off_in_the_record_costs_one_block(
    entries: list[Entry], tmp_path: Path, packed_blocks: list[int]
) -> None:
    whole = pack(entries, tmp_path / "out", RECIPE, workers=1)
    before = whole.path.read_bytes()
    record = tmp_path / "out" / "done.jsonl"
    lost = json.loads(record.read_text().splitlines()[-1])["number"]
    os.truncate(record, record.stat().st_size - 30)
    packed_blocks.clear()
    assert pack(entries, tmp_path / "out", RECIPE, workers=1) == whole
    assert packed_blocks == [lost]
    assert whole.path.read_bytes() == before
    assert all(json.loads(line) for line in record.read_text().splitlines())


@pytest.mark.parametrize("change", ["recipe", "content", "entries", "library"])
def test_other_input_begins_anew(
    change: str, entries: list[Entry], tmp_path: Path, packed_blocks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    pack(entries, tmp_path / "out", RECIPE, workers=1, content="a")
    packed_blocks.clear()
    if change == "recipe":
        pixels = pack(entries, tmp_path / "out", replace(RECIPE, crop="centre"), workers=1, content="a")
    elif change == "content":
        pixels = pack(entries, tmp_path / "out", RECIPE, workers=1, content="b")
    elif change == "library":
        monkeypatch.setattr(module, "version", lambda name: "another" if name == "kornia-rs" else version(name))
        pixels = pack(entries, tmp_path / "out", RECIPE, workers=1, content="a")
    else:
        pixels = pack(entries[1:], tmp_path / "out", RECIPE, workers=1, content="a")
    assert sorted(packed_blocks) == list(range(7))
    assert len(np.load(pixels.path)) == len(pixels.digests)


KILLED = """
import os, signal, sys
from pathlib import Path
from protofair.data.prepare import pack as module
from protofair.data.prepare.blocks import Recipe
from protofair.data.raw import find_images

if __name__ == "__main__":
    module.BLOCK_IMAGES = 3
    finished = []

    def advance(images):
        finished.append(images)
        if len(finished) == 3:
            os.kill(os.getpid(), signal.SIGKILL)

    root = Path(sys.argv[1])
    module.pack(find_images(root / "raw"), root / "killed", Recipe(16, 3, "none"), workers=2, advance=advance)
"""


def test_killed_it_continues_and_ends_with_the_same_bytes(
    entries: list[Entry], tmp_path: Path, packed_blocks: list[int]
) -> None:
    script = tmp_path / "script.py"
    script.write_text(KILLED)
    process = subprocess.Popen([sys.executable, script, tmp_path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    # The workers hold the pipe too, so this waits until they have followed their parent.
    output, _ = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL, output.decode()
    record = tmp_path / "killed" / "done.jsonl"
    done = {json.loads(line)["number"] for line in record.read_text().splitlines()[1:]}
    assert len(done) == 3

    pixels = pack(entries, tmp_path / "killed", RECIPE, workers=2)
    assert sorted(packed_blocks) == sorted(set(range(7)) - done)
    undisturbed = pack(entries, tmp_path / "undisturbed", RECIPE, workers=1)
    assert pixels.path.read_bytes() == undisturbed.path.read_bytes()
    assert pixels.digests == undisturbed.digests


def test_a_worker_that_is_killed_is_a_clear_error_and_the_next_run_continues(
    entries: list[Entry], tmp_path: Path, packed_blocks: list[int]
) -> None:
    def kill_a_worker(images: int) -> None:
        for process in psutil.Process().children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                if "multiprocessing" in " ".join(process.cmdline()) and process.parent().pid != os.getpid():
                    process.kill()

    with pytest.raises(UserError, match=r"a worker was ended from outside.*Run the command again: it continues"):
        pack(entries, tmp_path / "out", RECIPE, workers=1, advance=kill_a_worker)
    done = set(packed_blocks)
    packed_blocks.clear()
    pack(entries, tmp_path / "out", RECIPE, workers=1)
    assert sorted(packed_blocks) == sorted(set(range(7)) - done)


def test_too_little_space_is_said_before_anything_is_written(
    entries: list[Entry], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = type("Usage", (), {"free": 1000})
    monkeypatch.setattr(module.shutil, "disk_usage", lambda folder: usage)
    with pytest.raises(UserError, match="15,360 bytes are needed for the array, 1,000 are free"):
        pack(entries, tmp_path / "out", RECIPE, workers=1)
    assert not (tmp_path / "out" / "all.npy").exists()


def test_memory_stays_flat(entries: list[Entry], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixteen times the images, an array of 150 MB more, and the processes together need hardly more memory."""
    monkeypatch.setattr(module, "BLOCK_IMAGES", 64)
    peaks = []
    for copies in (10, 160):
        many = [replace(entry, name=f"{copy}-{entry.name}") for copy in range(copies) for entry in entries]
        peak = 0

        def measure(images: int) -> None:
            nonlocal peak
            here = psutil.Process()
            peak = max(peak, sum(process.memory_info().rss for process in [here, *here.children(recursive=True)]))

        pixels = pack(many, tmp_path / str(copies), Recipe(128, 3, "none"), workers=1, advance=measure)
        peaks.append(peak)
        pixels.path.unlink()
    assert peaks[1] - peaks[0] < 30 * 2**20
