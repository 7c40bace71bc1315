import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from protofair.core.errors import UserError
from protofair.data.toy import CORRELATION, draw

DATASETS = list(CORRELATION)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def pictures(folder: Path) -> dict[str, bytes]:
    """The images in a drawn archive, by name."""
    (path,) = [path for path in folder.iterdir() if path.suffix in (".zip", ".gz")]
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
    with tarfile.open(path) as archive:
        return {member.name: archive.extractfile(member).read() for member in archive if member.isfile()}


@pytest.mark.parametrize("dataset", DATASETS)
def test_another_process_draws_the_same_bytes(dataset: str, tmp_path: Path) -> None:
    draw(dataset, tmp_path / "here", images=12, seed=3)
    call = f"draw({dataset!r}, Path('there'), images=12, seed=3)"
    code = f"from pathlib import Path; from protofair.data.toy import draw; {call}"
    # Sets of strings are ordered by a hash that differs from process to process.
    environment = {**os.environ, "PYTHONHASHSEED": "12345"}
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, check=True)
    assert files(tmp_path / "here") == files(tmp_path / "there")


@pytest.mark.parametrize("dataset", DATASETS)
def test_seeds_draw_different_pictures(dataset: str, tmp_path: Path) -> None:
    for seed in (0, 1):
        draw(dataset, tmp_path / str(seed), images=4, seed=seed)
    assert not set(pictures(tmp_path / "0").values()) & set(pictures(tmp_path / "1").values())


@pytest.mark.parametrize("dataset", DATASETS)
def test_a_picture_does_not_depend_on_how_many_there_are(dataset: str, tmp_path: Path) -> None:
    for images in (5, 9):
        draw(dataset, tmp_path / str(images), images=images)
    few, many = pictures(tmp_path / "5"), pictures(tmp_path / "9")
    assert len(few) == 5
    assert few.items() <= many.items()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dataset": "celebA"}, "Did you mean 'celeba'"),
        ({"images": 0}, "at least one"),
        ({"correlation": 0.6}, "at most ±0.5"),
        ({"correlation": float("nan")}, "at most ±0.5"),
    ],
)
def test_what_cannot_be_drawn_is_refused_and_nothing_is_written(change: dict, message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=message):
        draw(**{"dataset": "celeba", "folder": tmp_path / "out", "images": 4, **change})
    assert not (tmp_path / "out").exists()
