"""Files that are whole or absent."""

import json
from pathlib import Path

import pytest

from protofair.core.atomic import replacing, write_json, write_text


def write_and_fail(path: Path) -> None:
    with replacing(path) as file:
        file.write(b"new")
        raise RuntimeError


def test_a_failure_leaves_the_old_file_and_no_other(tmp_path: Path):
    path = tmp_path / "file"
    write_text(path, "old")
    with pytest.raises(RuntimeError):
        write_and_fail(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_success_replaces_the_file_with_ordinary_permissions(tmp_path: Path):
    path, plain = tmp_path / "deep" / "file", tmp_path / "plain"
    plain.write_text("")
    write_text(path, "new")
    assert path.read_text() == "new"
    assert path.stat().st_mode == plain.stat().st_mode


def test_json_has_null_where_a_number_is_not_one(tmp_path: Path):
    write_json(tmp_path / "a.json", {"eo": float("nan"), "list": [1, float("nan")], "ok": 0.5})
    assert json.loads((tmp_path / "a.json").read_text()) == {"eo": None, "list": [1, None], "ok": 0.5}


def test_json_refuses_infinity(tmp_path: Path):
    with pytest.raises(ValueError, match="Out of range"):
        write_json(tmp_path / "a.json", {"x": float("inf")})
    assert not (tmp_path / "a.json").exists()
