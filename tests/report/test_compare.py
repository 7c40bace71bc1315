import csv
import io

import pytest

from protofair.core.errors import UserError
from protofair.report.compare import KEY, as_csv, as_text, compare
from protofair.report.export import FIELDS, write_tables


@pytest.fixture
def theirs(paper_report, tmp_path):
    write_tables(paper_report.tables, tmp_path)
    return tmp_path


def change(folder, **parts):
    """One number of Table 4 with other values in it; its key."""
    path = folder / "table4.csv"
    lines = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
    line = next(line for line in lines if line["ours"] and line["kind"] == "control")
    line.update({name: str(value) for name, value in parts.items()})
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        writer.writerows(lines)
    return tuple(line[part] for part in KEY)


def numbers(tables):
    return [
        value for table in tables for row in table.rows for cell in row.cells for value in cell.numbers if value.ours
    ]


def test_the_same_run_is_as_expected_everywhere(paper_report, theirs):
    found = compare(paper_report.tables, theirs)
    assert len(found) == len(numbers(paper_report.tables)) > 50
    assert all(one.expected for one in found)
    assert [one.ours for one in found] == [value.ours.mean for value in numbers(paper_report.tables)]


def test_one_more_seed_is_expected_in_the_prediction_interval(paper_report, theirs):
    """Mean 10, sd 1 of 3 seeds: t = 4.303, so the mean of three more is within 4.303 * sqrt(2/3) = 3.513 of it."""
    table, row, _, column, metric = change(theirs, ours=10, sd=1, seeds=3)
    (one,) = [
        one
        for one in compare(paper_report.tables, theirs)
        if (one.table, one.row, one.column, one.metric) == (table, f"{row}, control", column, metric)
    ]
    assert one.theirs == 10
    assert (one.low, one.high) == pytest.approx((10 - 3.513, 10 + 3.513), abs=1e-3)
    assert one.expected == (one.low <= one.ours <= one.high)


@pytest.mark.parametrize(("low", "high", "expected"), [(0, 100, True), (0, 0.001, False)])
def test_a_single_seed_has_its_interval_over_test_images(paper_report, theirs, low, high, expected):
    change(theirs, sd="", seeds=1, low=low, high=high)
    found = compare(paper_report.tables, theirs)
    assert sum(not one.expected for one in found) == (0 if expected else 1)
    last = as_text(found).splitlines()[-1]
    assert last == f"{len(found) - (not expected)} of {len(found)} numbers are as expected."
    assert ("differs" in as_text(found)) != expected


def test_csv_has_a_line_each(paper_report, theirs):
    found = compare(paper_report.tables, theirs)
    lines = list(csv.DictReader(io.StringIO(as_csv(found))))
    assert [line["expected"] for line in lines] == ["True"] * len(found)


def test_a_folder_without_tables_is_refused(paper_report, tmp_path):
    with pytest.raises(UserError, match=r"no table\*\.csv in it"):
        compare(paper_report.tables, tmp_path)


def test_a_file_that_is_no_table_is_named(paper_report, tmp_path):
    (tmp_path / "table1.csv").write_text("a,b\n1,2\n")
    with pytest.raises(UserError, match=r"table1\.csv: not a table of a report"):
        compare(paper_report.tables, tmp_path)


def test_another_suite_is_refused(paper_report, tmp_path):
    (tmp_path / "table1.csv").write_text(",".join(FIELDS) + "\n")
    with pytest.raises(UserError, match="none of its tables has a number of this suite"):
        compare(paper_report.tables, tmp_path)
