"""`protofair split`."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from protofair.cli import main
from protofair.data.split.command import split

SMALL = ["--val-per-cell", "2", "--test-per-cell", "3"]


@pytest.fixture
def names(tmp_path: Path, faces: Callable[..., pd.DataFrame]) -> Path:
    path = tmp_path / "names.txt"
    path.write_text("\n".join(faces([[25, 12], [10, 40]])["id"]), encoding="utf-8")
    return path


def test_one_alpha_is_written_and_shown(names: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = CliRunner().invoke(split, [str(names), "--alpha", "2", *SMALL, "--out", str(out)], catch_exceptions=False)
    assert result.exit_code == 0
    assert "87 images to split." in result.output
    assert "male, White             10        2        3       10        2" in result.output
    assert sorted(path.name for path in out.iterdir()) == ["cells.csv", "cells.svg", "split.csv"]
    table = pd.read_csv(out / "split.csv", keep_default_na=False)
    assert list(table.columns) == ["id", "split"]
    assert dict(table["split"].value_counts()) == {"train": 30, "val": 8, "test": 12, "": 37}


def test_several_alphas_share_their_held_out_sets(names: Path, tmp_path: Path) -> None:
    arguments = [str(names), "--alphas", "1,4", *SMALL, "--sizes", "equal", "--out", str(tmp_path / "out")]
    assert CliRunner().invoke(split, arguments, catch_exceptions=False).exit_code == 0
    one, other = (
        pd.read_csv(tmp_path / "out" / f"split-{alpha}.csv", keep_default_na=False).set_index("id")["split"]
        for alpha in ("1", "4")
    )
    for part in ("val", "test"):
        assert set(one.index[one == part]) == set(other.index[other == part])
    assert (one == "train").sum() == (other == "train").sum() > 0
    assert set(pd.read_csv(tmp_path / "out" / "cells.csv")["alpha"]) == {1, 4}


def test_without_a_folder_nothing_is_written(names: Path, tmp_path: Path) -> None:
    assert CliRunner().invoke(split, [str(names), "--alpha", "2", *SMALL], catch_exceptions=False).exit_code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["names.txt"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--alpha", "21"], "The largest alpha that works is 20."),
        (
            ["--alpha", "2", "--val-per-cell", "500"],
            "With val_per_cell and test_per_cell 4 the largest alpha that works is 17.",
        ),
        (["--alpha", "0.5"], "'alpha'"),
        (["--alpha", "2", "--target", "hair"], "no attribute 'hair'"),
        (["--alpha", "two"], "'two' is not a number"),
        (["--alphas", "2,2.0000001"], "two of them are so near that their files would have one name"),
    ],
)
def test_a_refusal_is_one_line_and_leaves_what_is_there(
    names: Path, tmp_path: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "split.csv").write_text("precious")
    with pytest.raises(SystemExit) as caught:
        main(["split", str(names), *SMALL, *arguments, "--out", str(out)])
    assert caught.value.code == 2
    printed = capsys.readouterr()
    assert message in printed.err
    assert "Traceback" not in printed.err
    assert printed.out == ""
    assert [(path.name, path.read_text()) for path in out.iterdir()] == [("split.csv", "precious")]


def test_a_file_in_the_place_of_the_folder_is_named(
    names: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "out").write_text("precious")
    with pytest.raises(SystemExit) as caught:
        main(["split", str(names), *SMALL, "--alpha", "2", "--out", str(tmp_path / "out")])
    assert caught.value.code == 2
    assert f"{tmp_path / 'out'}: a file is in the place of this folder" in capsys.readouterr().err
