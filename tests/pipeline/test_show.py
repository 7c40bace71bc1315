"""What both tools show of a finished plan: Snakemake's own report, DVC's metrics, plots and graph."""

import json
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow


def test_snakemake_makes_a_report_that_holds_ours(finished: Any, tmp_path: Path):
    finished.snakemake("--report", str(tmp_path / "snakemake.html"))
    page = (tmp_path / "snakemake.html").read_text(encoding="utf-8")
    assert "results/tiny/report.html" in page
    assert all(f'"{rule}"' in page for rule in ("acquire", "prepare", "warmup", "fair", "probe", "report"))


def test_dvc_shows_the_metrics_of_every_probe(finished: Any):
    shown = json.loads(finished.run("dvc", "metrics", "show", "--json").stdout)
    files = shown[""]["data"]
    assert len(files) == 2
    for file in files.values():
        numbers = file["data"]["Big_Nose/Male"]
        assert 0 <= numbers["accuracy"] <= 100
        assert 0 <= numbers["equalized_odds"] <= 100


def test_dvc_shows_how_training_went(finished: Any, tmp_path: Path):
    finished.run("dvc", "plots", "show", "--out", str(tmp_path))
    assert {path.name.split("_")[-1] for path in tmp_path.glob("static/*")} == {"training.svg", "occupancy.svg"}


def test_dvc_draws_the_way_to_one_cell(finished: Any):
    (key,) = [path.name for path in (finished.path / "results/tiny/probe").iterdir() if "-w0_3-" in path.name]
    drawn = finished.run("dvc", "dag", f"probe@{key}").stdout
    assert drawn.count("warmup@") == drawn.count("fair@") == drawn.count("probe@") == 1
    assert "report" not in drawn
