from pathlib import Path

import pytest

from protofair.core.errors import UserError
from protofair.data.prepare.tables import commaed, once, spaced


def test_spaces_of_any_number_and_every_line_end(tmp_path: Path) -> None:
    path = tmp_path / "table.txt"
    path.write_bytes(b"\xef\xbb\xbfa.jpg  1 -1\r\n\r\nb.jpg -1  1 \nc.jpg\t1 1")
    assert list(spaced(path)) == [(1, ["a.jpg", "1", "-1"]), (3, ["b.jpg", "-1", "1"]), (4, ["c.jpg", "1", "1"])]


def test_fields_of_a_csv_file_are_stripped_and_may_be_quoted(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(b'a.jpg , 1\r\n,\r\n"b,c.jpg",2')
    assert list(commaed(path)) == [(1, ["a.jpg", "1"]), (3, ["b,c.jpg", "2"])]


def test_an_open_quote_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text('a,1\n"b,2\n')
    with pytest.raises(UserError, match=r"table\.csv: line \d: not a line of a CSV file"):
        list(commaed(path))


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "table.txt"
    path.write_bytes(b"\xff\xd8\xff\xe0")
    with pytest.raises(UserError, match=r"table\.txt: not a text file"):
        list(spaced(path))


def test_of_repeated_rows_the_first_stays_unless_they_differ() -> None:
    rows = [(1, "same", 5), (2, "other", 6), (3, "same", 5), (4, "differs", 7), (5, "differs", 8), (6, "differs", 7)]
    kept, problems = once(Path("folder/table.txt"), rows)
    assert kept == {"same": 5, "other": 6}
    assert [(problem.kind, problem.id, problem.detail) for problem in problems] == [
        ("repeated", "same", "table.txt, again in line 3: with the same values, first kept"),
        ("repeated", "differs", "table.txt, again in line 5, 6: with other values, none kept"),
    ]
