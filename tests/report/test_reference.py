"""The paper's numbers a second time, read off its tables column by column, against params/reference.yaml."""

from pathlib import Path

import pytest

from protofair.core.errors import UserError
from protofair.report.reference import REFERENCE, read_reference

# By table: the rows from top to bottom; then for each column its metrics, each from top to bottom.
ROWS = {
    1: "CE | GRL | LNL | FD-VAE | MFD | FSCL | SupCon | SupCon + ProtoFair",
    2: "FSCL* | SimCLR + GRL | SimCLR | SimCLR + ProtoFair",
    3: "BarlowTwins | BarlowTwins + ProtoFair | BYOL | BYOL + ProtoFair",
    4: "FSCL | SupCon | SupCon + ProtoFair",
    5: "SupCon | SupCon + ProtoFair",
    6: "SupCon | SupCon + ProtoFair",
}
ACC, EO, AUROC, GAP, PROBE = "accuracy", "equalized_odds", "auroc", "auroc_gap", "sensitive.accuracy"
COLUMNS = {
    (1, "T:a, S:m", ACC): "79.6 77.2 79.9 76.9 78.0 79.1 80.5 80.3",
    (1, "T:a, S:m", EO): "27.8 24.9 21.8 15.1 7.4 11.5 30.5 14.2",
    (1, "T:a, S:y", ACC): "79.8 74.6 74.3 77.5 80.0 79.1 80.1 81.5",
    (1, "T:a, S:y", EO): "16.8 14.7 13.7 14.8 14.9 13.0 21.7 17.7",
    (1, "T:b, S:m", ACC): "84.0 82.5 82.3 81.6 78.0 82.1 84.6 84.2",
    (1, "T:b, S:m", EO): "17.6 14.0 10.7 11.2 7.3 7.0 20.7 15.8",
    (1, "T:b, S:y", ACC): "84.5 83.3 82.3 81.7 78.0 83.8 84.4 83.5",
    (1, "T:b, S:y", EO): "14.7 10.0 6.8 6.7 5.4 6.4 16.9 6.9",
    (1, "T:e, S:m", ACC): "83.9 81.9 81.6 82.6 79.0 82.7 84.3 84.0",
    (1, "T:e, S:m", EO): "15.0 6.7 5.0 5.7 8.7 3.8 20.8 10.1",
    (1, "T:e, S:y", ACC): "83.8 82.3 80.3 84.0 78.0 82.0 84.0 83.3",
    (1, "T:e, S:y", EO): "12.7 5.9 3.3 6.2 5.2 1.8 10.8 1.9",
    (2, "T:a, S:m", ACC): "74.6 72.3 75.7 73.3",
    (2, "T:a, S:m", EO): "14.8 21.9 29.4 21.9",
    (3, "T:e, S:y", ACC): "79.87 80.40 82.66 81.75",
    (3, "T:e, S:y", EO): "1.23 1.16 11.21 8.98",
    (3, "T:e, S:m", ACC): "80.03 79.99 82.66 81.11",
    (3, "T:e, S:m", EO): "1.64 1.36 17.04 7.11",
    (3, "T:b, S:y", ACC): "81.71 80.0 81.77 80.42",
    (3, "T:b, S:y", EO): "6.72 1.15 8.9 4.59",
    (3, "T:b, S:m", ACC): "81.72 80.41 81.77 80.16",
    (3, "T:b, S:m", EO): "12.07 5.98 13.54 6.83",
    (4, "alpha=4", ACC): "90.1 89.8 89.8",
    (4, "alpha=4", EO): "2.7 10.6 6.6",
    (4, "alpha=3", ACC): "92.3 91.6 90.3",
    (4, "alpha=3", EO): "1.7 8.4 4.8",
    (4, "alpha=2", ACC): "91.6 92.0 90.7",
    (4, "alpha=2", EO): "1.0 4.5 2.8",
    (5, "Pneumothorax", ACC): "89.34 89.28",
    (5, "Pneumothorax", AUROC): "0.70 0.72",
    (5, "Pneumothorax", GAP): "0.03 0.01",
    (5, "Pneumothorax", EO): "1.87 1.79",
    (6, "Big Nose", PROBE): "87.76 81.02",
    (6, "Big Nose", EO): "20.7 15.8",
    (6, "Bags Under Eyes", PROBE): "82.41 76.07",
    (6, "Bags Under Eyes", EO): "20.8 10.1",
}
# Not the authors' runs: the paper takes them from the FSCL paper.
QUOTED = {
    **{(1, row): True for row in ("CE", "GRL", "LNL", "FD-VAE", "MFD", "FSCL", "SupCon")},
    **{(2, row): True for row in ("FSCL*", "SimCLR + GRL", "SimCLR")},
    **{(4, row): True for row in ("FSCL", "SupCon")},
}


@pytest.fixture(scope="module")
def reference(pytestconfig):
    return read_reference(pytestconfig.rootpath / REFERENCE)


def test_every_number_of_the_second_transcription_is_the_first_ones(reference):
    for (number, column, metric), printed in COLUMNS.items():
        table = reference.tables[f"table{number}"]
        rows = ROWS[number].split(" | ")
        assert [table.value(row, column, metric) for row in rows] == [float(text) for text in printed.split()], (
            f"Table {number}, {column}, {metric}"
        )


def test_neither_transcription_has_a_row_column_or_metric_more(reference):
    for name, table in reference.tables.items():
        number = int(name.removeprefix("table"))
        assert table.number == number
        assert list(table.rows) == ROWS[number].split(" | ")
        cells = [(column, metric) for known, column, metric in COLUMNS if known == number]
        assert [(column, metric) for column in table.columns for metric in table.metrics] == cells


def test_quoted_rows_are_marked(reference):
    for name, table in reference.tables.items():
        for row, printed in table.rows.items():
            assert printed.quoted == QUOTED.get((int(name.removeprefix("table")), row), False), (name, row)


def test_what_the_text_says_of_the_ablation(reference):
    assert reference.ablation.accuracy_over_num_prototypes == (83.0, 84.5)
    assert reference.ablation.sweet_spot_of_weight == (0.1, 0.3)
    assert reference.ablation.accuracy_falls_from_weight == 0.7


def test_numbers_are_printed_with_the_papers_digits(reference):
    assert reference.tables["table1"].digits(ACC) == 1
    assert reference.tables["table3"].digits(EO) == 2
    assert reference.tables["table5"].digits(AUROC) == 2
    assert (reference.tables["table6"].digits(PROBE), reference.tables["table6"].digits(EO)) == (2, 1)


def test_a_cell_the_paper_does_not_have_is_none(reference):
    table = reference.tables["table2"]
    assert table.value("SimCLR", "T:b, S:m", ACC) is None
    assert table.value("MoCo", "T:a, S:m", ACC) is None
    assert table.value("SimCLR", "T:a, S:m", AUROC) is None


def test_a_row_with_a_number_missing_is_refused(tmp_path: Path, pytestconfig):
    text = (pytestconfig.rootpath / REFERENCE).read_text(encoding="utf-8")
    path = tmp_path / "reference.yaml"
    path.write_text(text.replace("[74.6, 14.8]", "[74.6]"), encoding="utf-8")
    with pytest.raises(UserError, match=r"tables\.table2.*FSCL\*' needs 2 values"):
        read_reference(path)
