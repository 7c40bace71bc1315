"""What stands in results/*/published for everyone to read: whole, in agreement with itself, and without a face."""

import csv
import json
import re
from pathlib import Path
from statistics import mean

import pytest

from protofair.plan.check import read_suite
from protofair.plan.plan import Plan
from protofair.plan.resolve import resolve

ROOT = Path(__file__).parents[2]
MINI = ROOT / "results/mini/published"


@pytest.fixture(scope="module")
def plan() -> Plan:
    path = ROOT / "params/mini.yaml"
    return resolve(read_suite(path))


def lines(name: str, metric: str) -> list[dict[str, str]]:
    with (MINI / "report/tables" / name).open(encoding="utf-8", newline="") as file:
        return [line for line in csv.DictReader(file) if line["metric"] == metric]


def test_every_run_of_the_suite_has_its_metrics(plan: Plan):
    assert {path.stem for path in (MINI / "metrics").glob("*.json")} == set(plan.probe)


@pytest.mark.parametrize("metric", ["accuracy", "equalized_odds"])
def test_the_table_has_the_means_of_those_metrics(plan: Plan, metric: str):
    """The runs of a cell as the plan has them, their metrics as the probe wrote them."""
    printed = {(line["row"], line["column"], line["kind"] == "control"): line for line in lines("table4.csv", metric)}
    for cell in plan.report["tables"]["table4"]:
        for role in ("runs", "controls"):
            if role in cell:
                line = printed[cell["row"], cell["column"], role == "controls"]
                runs = [measured(key, metric) for key in cell[role].values()]
                assert int(line["seeds"]) == len(runs)
                assert float(line["ours"]) == pytest.approx(mean(runs), abs=1e-4)


def measured(key: str, metric: str) -> float:
    (task,) = json.loads((MINI / "metrics" / f"{key}.json").read_text(encoding="utf-8"))["tasks"]
    classifier = task["test"].get("own") or task["test"]  # of a method that has one, its own
    value: float = classifier[metric]["value"]
    return value


def test_the_readme_shows_the_table_as_it_is(plan: Plan):
    """Each line of numbers in the README is a line of the table, a control below its row."""
    printed = shown_in(MINI / "report/tables/table4.md")
    assert {row for row, _ in printed} == {cell["row"] for cell in plan.report["tables"]["table4"]}
    assert shown_in(ROOT / "README.md") == printed


def shown_in(path: Path) -> dict[tuple[str, bool], list[str]]:
    """The numbers of a Markdown table's lines, by row and whether it is the row's control."""
    text = re.sub("[*‡]|– (?=its)", "", path.read_text(encoding="utf-8"))
    found, row = {}, ""
    for name, numbers in re.findall(
        r"^\| ([A-Z][^|]*|its [^|]*control[^|]*) \|((?: *\d[^|]*\|){6})$", text, flags=re.MULTILINE
    ):
        control = name.startswith("its ")
        row = row if control else name.replace(", learning rate `tail`", " (rate: tail)")
        found[row, control] = [number.strip() for number in numbers.strip("|").split("|")]
    return found


def test_no_photograph_is_in_it():
    """Pictures are drawn by the report: SVG and PDF files, and in the page SVG alone."""
    endings = {path.suffix for path in MINI.rglob("*") if path.is_file()}
    assert endings <= {".html", ".json", ".csv", ".tex", ".md", ".svg", ".pdf"}
    page = (MINI / "report.html").read_text(encoding="utf-8")
    assert set(re.findall(r"data:(image/[a-z+]+)", page)) <= {"image/svg+xml"}
    assert "This is not the paper" in page
