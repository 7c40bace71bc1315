"""The promises of the pipeline, kept by the real tools: nothing is done twice."""

from typing import Any

import pytest

pytestmark = pytest.mark.slow


def test_after_snakemake_dvc_is_clean_and_nothing_is_left_to_do(finished: Any):
    assert (finished.path / "results/tiny/report.html").is_file()
    assert finished.stale() == set()
    assert finished.to_do() == set()
