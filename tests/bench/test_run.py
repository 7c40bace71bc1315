"""Running the benchmarks."""

import pytest

from bench import __main__, run
from bench.table import Row, at_most


def test_every_benchmark_can_be_named() -> None:
    assert {"kmeans", "fair_term", "bootstrap"} <= set(run.names())
    assert not {"__main__", "run", "table"} & set(run.names())


def test_a_benchmark_that_fails_has_a_row_that_says_so() -> None:
    (row,) = run.measure("no_such_benchmark")
    assert row.what == "no_such_benchmark"
    assert row.verdict.startswith("failed: ModuleNotFoundError")


@pytest.mark.parametrize(
    ("row", "code"),
    [
        (at_most("x", 1, 2), 0),
        (at_most("x", 3, 2), 1),
        (Row("x", "", "", "failed: OSError"), 1),
        (Row("x", "", "", "not measured: no GPU"), 0),
    ],
)
def test_the_exit_code_says_whether_all_targets_are_met(
    row: Row, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(__main__, "measure", lambda name: [row])
    assert __main__.main(["kmeans"]) == code
    assert row.verdict in capsys.readouterr().out


def test_an_unknown_benchmark_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert __main__.main(["kmean"]) == 2
    assert "no benchmark 'kmean'. Known: " in capsys.readouterr().err
