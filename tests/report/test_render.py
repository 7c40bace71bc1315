"""The report as a whole: the same bytes, nothing but text from names, and honest about what is broken or missing."""

import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import asdict
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from protofair.core.errors import UserError
from protofair.plan.plan import Entry, Plan
from protofair.report.command import report
from protofair.report.metrics import METRICS
from protofair.report.model import Difference, ReportModel
from protofair.report.render import beside, render

SCRIPT = "<script>alert(1)</script>"
IMAGE = '"><img src=x onerror=alert(1)>'
VOID = {"meta", "img", "input", "br", "link"}


class Parsed(HTMLParser):
    """Elements with their attributes and text; whether every element that is opened is closed in its turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def run(root: Path, *options: str) -> Result:
    return CliRunner().invoke(report, ["--root", str(root), *options], catch_exceptions=False)


def cell_of(plan: Plan, row: str, column: str) -> Entry:
    """A cell of Table 1."""
    return next(cell for cell in plan.report["tables"]["table1"] if (cell["row"], cell["column"]) == (row, column))


def contents(folder: Path) -> dict[str, bytes]:
    paths = [folder / "report.html", *(folder / "report").rglob("*.*")]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


@pytest.fixture(scope="module")
def written(demo_root: Path) -> Path:
    """The folder of the demo's report."""
    result = run(demo_root)
    assert result.exit_code == 0, result.output
    return demo_root / "results" / "demo"


@pytest.fixture(scope="module")
def html(written: Path) -> str:
    return (written / "report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def parsed(html: str) -> Parsed:
    return Parsed(html)


def test_same_inputs_give_the_same_bytes(demo_root: Path, written: Path) -> None:
    """In another process, whose sets have another order, and on another day."""
    before = contents(written)
    (written / "report" / "figures" / "pairs.svg").write_text("left by an earlier report", encoding="utf-8")
    (written / "report" / "tables" / "table1.csv").write_text("", encoding="utf-8")
    command = [sys.executable, "-m", "protofair", "report", "--root", str(demo_root)]
    environment = os.environ | {"PYTHONHASHSEED": "4711", "SOURCE_DATE_EPOCH": "86400", "TZ": "Asia/Tokyo"}
    subprocess.run(command, env=environment, check=True, capture_output=True)
    assert contents(written) == before
    assert {Path(name).suffix for name in before} == {".html", ".csv", ".json", ".tex", ".md", ".svg", ".pdf"}


def test_page_is_whole_html(parsed: Parsed) -> None:
    assert parsed.open == []
    ids = [attributes["id"] for _, attributes in parsed.elements if "id" in attributes]
    assert len(set(ids)) == len(ids)
    fragments = [str(link["href"])[1:] for link in parsed.all("a") if str(link["href"]).startswith("#")]
    assert set(fragments) <= set(ids)


def test_linked_files_exist(parsed: Parsed, written: Path) -> None:
    linked = [str(link["href"]) for link in parsed.all("a") if not str(link["href"]).startswith("#")]
    assert len(linked) > 30
    assert all((written / name).is_file() for name in linked)


def test_nothing_comes_from_outside_and_nothing_is_styled_inline(parsed: Parsed, html: str) -> None:
    assert not parsed.all("link")
    assert all(str(image["src"]).startswith("data:image/svg+xml;base64,") for image in parsed.all("img"))
    assert not [tag for tag, attributes in parsed.elements if "style" in attributes]
    assert not re.search(r"https?://", re.sub(r'src="data:[^"]*"', "", html))
    policy = next(str(meta["content"]) for meta in parsed.all("meta") if meta.get("http-equiv"))
    assert policy.startswith("default-src 'none'; img-src data:; style-src 'sha256-")
    assert "unsafe" not in policy


def test_tables_and_figures_of_the_paper_are_there(parsed: Parsed) -> None:
    ids = {attributes.get("id") for _, attributes in parsed.elements}
    assert {f"table{number}" for number in range(1, 7)} <= ids
    figures = ("method", "tsne", "ablation", "pareto-table1", "pareto-table5", "training", "occupancy", "dag")
    assert {f"figure-{name}" for name in figures} <= ids


def test_details_of_a_cell_have_what_a_reviewer_asks_for(html: str, demo_plan: Plan) -> None:
    probe = cell_of(demo_plan, "SupCon + ProtoFair", "T:a, S:m")["runs"]["0"]
    fair = demo_plan.probe[probe]["checkpoint"]["key"]
    warmup = demo_plan.fair[fair]["warmup"]
    cell = html[html.index('id="table1-r8-c1"') :].partition('<details class="cell"')[0]
    text = " ".join(Parsed(cell[: cell.rindex("</details>")].partition(">")[2]).text.split())
    for wanted in (
        "Target Attractive, sensitive Male.",
        "minus its control",
        "balanced accuracy",
        "TPR",
        "FPR",
        "Test images",
        "seed 0seed 1",
        f"dvc repro probe@{probe}",
        f"warmup@{warmup} → fair@{fair}",
        f"over {demo_plan.warmup[warmup]['epochs']} epochs of warmup",
        f"fair.weight: {demo_plan.fair[fair]['weight']}",
    ):
        assert wanted in text


def test_demo_says_on_top_that_it_is_not_the_papers_experiment(html: str) -> None:
    header = html.partition("<header>")[2].partition("</header>")[0]
    assert "not the paper&#39;s experiment" in header.partition('<p class="warning"')[2]


def test_paper_suite_does_not_say_so_and_is_small(paper_report: ReportModel, paper_plan: Plan, tmp_path: Path) -> None:
    path = render(paper_report, paper_plan, None, tmp_path)
    assert path.stat().st_size < 5_000_000
    html = path.read_text(encoding="utf-8")
    assert "not the paper&#39;s experiment" not in html
    assert "--show-images" in Parsed(html).text  # no photograph without being asked


def test_names_are_text(plan_of: Callable[..., Plan], fabricate: Callable[..., None], tmp_path: Path) -> None:
    """A row, a column, an attribute and a title from someone who means harm; keys have no room for it."""
    honest = plan_of("demo", only=["table3", "tsne"])
    text = json.dumps(asdict(honest))
    for name, hostile in {
        '"BYOL"': SCRIPT,
        '"T:e, S:y"': IMAGE,
        '"Young"': "<b>$x_{y$",
        f'"{honest.report["title"]}"': f"</title>{SCRIPT}",
    }.items():
        text = text.replace(name, json.dumps(hostile))
    plan = Plan(**json.loads(text))
    fabricate(plan, tmp_path, rows=100)
    (tmp_path / "params" / "plan.yaml").write_text(plan.text(), encoding="utf-8")

    assert run(tmp_path).exit_code == 0
    page = Parsed((tmp_path / "results" / "demo" / "report.html").read_text(encoding="utf-8"))
    assert len(page.all("script")) == 1
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    assert {str(image["src"])[:5] for image in page.all("img")} == {"data:"}
    for name in (SCRIPT, IMAGE, "<b>$x_{y$"):
        assert name in page.text
    for path in (tmp_path / "results" / "demo" / "report" / "figures").glob("*.svg"):
        assert not [element for element in ET.parse(path).iter() if element.tag.endswith("script")]


def test_broken_file_is_named_and_the_rest_is_rendered(
    plan_of: Callable[..., Plan], fabricate: Callable[..., None], tmp_path: Path
) -> None:
    plan = plan_of("demo", seeds=[0, 1], only=["table1"])
    fabricate(plan, tmp_path, rows=100)
    (tmp_path / "params" / "plan.yaml").write_text(plan.text(), encoding="utf-8")
    name = f"results/demo/probe/{cell_of(plan, 'SupCon', 'T:a, S:m')['runs']['0']}/metrics.json"
    whole = (tmp_path / name).read_text(encoding="utf-8")
    (tmp_path / name).write_text(whole[: len(whole) // 2], encoding="utf-8")
    result = run(tmp_path)
    assert result.exit_code == 1
    assert name in result.stderr
    html = (tmp_path / "results" / "demo" / "report.html").read_text(encoding="utf-8")
    assert f"<li><code>{name}: not a complete metrics file" in html  # on top
    cell = html[html.index('<details class="cell" id="table1-r7-c1"') :].partition("</summary>")
    assert cell[0].endswith("SupCon, T:a, S:m: broken")
    assert name in cell[2].partition("</details>")[0]
    assert "1 of 2 seeds" in html  # what the other seed says is shown
    assert 'id="figure-pareto-table1"' in html


def test_nothing_finished_is_a_report_of_commands(demo_plan: Plan, demo_root: Path, tmp_path: Path) -> None:
    shutil.copytree(demo_root / "params", tmp_path / "params")
    result = run(tmp_path)
    assert result.exit_code == 0, result.output
    html = (tmp_path / "results" / "demo" / "report.html").read_text(encoding="utf-8")
    cells = [cell for cells in demo_plan.report["tables"].values() for cell in cells]
    assert all(f"dvc repro probe@{probe}" in html for cell in cells for probe in cell["runs"].values())
    assert all(f"dvc repro tsne@{key}" in html for key in demo_plan.tsne)
    assert "… pending" in html
    assert 'class="ours"' not in html
    assert html.count("pending until") == 3  # figures of what has not run say so


@pytest.mark.parametrize(
    ("low", "high", "metric", "expected"),
    [
        (0.1, 0.3, "accuracy", ("▲", "better")),
        (0.1, 0.3, "equalized_odds", ("▲", "worse")),
        (-0.3, -0.1, "equalized_odds", ("▼", "better")),
        (-0.3, 0.1, "accuracy", ("≈", "level")),
    ],
)
def test_a_difference_says_which_way_and_whether_that_is_good(
    low: float, high: float, metric: str, expected: tuple[str, str]
) -> None:
    assert beside(Difference((low + high) / 2, low, high, 3), METRICS[metric]) == expected


def test_a_plan_that_says_nothing_of_a_report_is_refused(tmp_path: Path):
    (tmp_path / "params").mkdir()
    (tmp_path / "params/plan.yaml").write_text("suite: mine\n")
    with pytest.raises(UserError, match=r"plan.yaml: report: 'ablation' is missing. .*`protofair plan SUITE`"):
        run(tmp_path)
    assert not (tmp_path / "results").exists()
