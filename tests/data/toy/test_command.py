from pathlib import Path

import pytest
from PIL import Image

from protofair.cli import main


def run(*arguments: object) -> int:
    with pytest.raises(SystemExit) as stop:
        main([str(argument) for argument in arguments])
    return int(stop.value.code or 0)


def test_it_draws_the_official_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("toy", "utkface", "--images", 2, "--out", tmp_path / "faces") == 0
    assert {path.name for path in (tmp_path / "faces").iterdir()} == {"UTKFace.tar.gz", ".drawn"}
    assert str(tmp_path / "faces") in capsys.readouterr().out


def test_a_sheet_shows_every_data_set(tmp_path: Path) -> None:
    assert run("toy", "--sheet", tmp_path / "all.png") == 0
    assert run("toy", "nih", "--sheet", tmp_path / "nih.png") == 0
    everything, chests = Image.open(tmp_path / "all.png"), Image.open(tmp_path / "nih.png")
    assert (everything.width, everything.height) == (chests.width, 3 * chests.height)
    assert everything.crop((0, 2 * chests.height, *everything.size)).tobytes() == chests.tobytes()


@pytest.mark.parametrize("arguments", [[], ["celeba"], ["--out", "folder"]])
def test_half_an_order_is_refused_with_the_whole_one(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("toy", *arguments) == 2
    assert "protofair toy celeba --out DIR" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_what_was_not_drawn_is_never_drawn_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    real = tmp_path / "UTKFace.tar.gz"
    real.write_bytes(b"precious")
    assert run("toy", "utkface", "--images", 2, "--out", tmp_path) == 2
    assert f"{tmp_path}: holds files that were not drawn" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["UTKFace.tar.gz"]
    assert real.read_bytes() == b"precious"


def test_its_own_folder_can_be_drawn_into_again(tmp_path: Path) -> None:
    for dataset, images in (("utkface", 3), ("utkface", 2), ("nih", 2)):
        assert run("toy", dataset, "--images", images, "--out", tmp_path) == 0
    assert {"UTKFace.tar.gz", "images_001.tar.gz"} < {path.name for path in tmp_path.iterdir()}


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_a_file_in_the_place_of_the_folder_is_named(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert run("toy", "utkface", "--images", 2, "--out", tmp_path / place) == 2
    assert f"{tmp_path / place}: a file is in the place of this folder" in capsys.readouterr().err


def test_a_sheet_is_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("toy", "nih", "--sheet", tmp_path) == 2
    assert f"{tmp_path}: a folder. Name a file." in capsys.readouterr().err
