"""The table of the benchmarks."""

import pytest

from bench.table import Row, at_least, at_most, beside, number, show


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.01234, " s", "0.0123 s"),
        (1.234, " s", "1.23 s"),
        (12.34, " s", "12.3 s"),
        (1234.4, " s", "1,234 s"),
        (0.0475, "%", "4.75%"),
        (0, " s", "0 s"),
    ],
)
def test_numbers_have_three_digits(value: float, unit: str, text: str) -> None:
    assert number(value, unit) == text


def test_a_limit_itself_is_met() -> None:
    assert at_most("x", 2.0, 2.0).verdict == at_least("x", 2.0, 2.0).verdict == "met"
    assert at_most("x", 2.01, 2.0).verdict == at_least("x", 1.99, 2.0).verdict == "missed"


def test_the_table() -> None:
    rows = [at_most("K-means", 1.5, 2, " s"), at_least("step", 0.8, 0.9, "%"), beside("scikit-learn", 3.25, " s")]
    assert show([*rows, Row("on a GPU", "", "", "not measured: no GPU")]).splitlines() == [
        "what         | measured | target         | verdict",
        "K-means      | 1.50 s   | at most 2.00 s | met",
        "step         | 80.0%    | at least 90.0% | missed",
        "scikit-learn | 3.25 s   |                |",
        "on a GPU     |          |                | not measured: no GPU",
    ]
