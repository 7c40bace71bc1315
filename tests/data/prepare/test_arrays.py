from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protofair.data.prepare import arrays
from protofair.data.prepare.arrays import read_chunks, write_rows


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "CHUNK_BYTES", 50)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("arrays") / "source.npy"
    np.save(path, np.arange(23 * 12, dtype=np.uint8).reshape(23, 2, 2, 3))
    return path


def test_chunks_are_small_and_together_the_whole(source: Path) -> None:
    chunks = list(read_chunks(source))
    assert {len(chunk) for chunk in chunks[:-1]} == {4}
    assert np.array_equal(np.concatenate(chunks), np.load(source))


@given(st.sets(st.integers(0, 22)))
def test_chosen_rows(source: Path, chosen: set[int]) -> None:
    rows = np.array(sorted(chosen), dtype=np.int64)
    write_rows(source.with_name("out.npy"), source, rows)
    assert np.array_equal(np.load(source.with_name("out.npy")), np.load(source)[rows])
