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
    assert [path.name for path in (tmp_path / "faces").iterdir()] == ["UTKFace.tar.gz"]
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
