"""The report in a real browser: offline, by keyboard, without scripts, in the dark, on a phone, on paper."""

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from click.testing import CliRunner
from playwright.sync_api import Browser, Page, Request, sync_playwright

from protofair.report.command import report

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
EXECUTABLE = next((path for name in NAMES if (path := shutil.which(name))), None)
pytestmark = pytest.mark.skipif(EXECUTABLE is None, reason="no Chromium here: apt-get install chromium")

FIGURES = ("method", "tsne", "ablation", "training", "occupancy", "dag", *(f"pareto-table{n}" for n in range(1, 6)))
Open = Callable[..., Page]


@pytest.fixture(scope="module")
def address(demo_root: Path) -> str:
    result = CliRunner().invoke(report, ["--root", str(demo_root)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return (demo_root / "results" / "demo" / "report.html").as_uri()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    options = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=EXECUTABLE, args=options)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser: Browser, address: str) -> Iterator[Open]:
    """visit(**options of a browser's context): the report, offline. No request may leave it, nothing may go wrong."""
    contexts = []
    requests: list[str] = []
    complaints: list[str] = []

    def visit(**options: Any) -> Page:
        context = browser.new_context(**options)
        contexts.append(context)
        context.set_offline(True)
        page = context.new_page()
        page.on("request", lambda request: requests.append(request.url))
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(address)
        return page

    yield visit
    for context in contexts:
        context.close()
    assert {url.partition("#")[0] for url in requests if not url.startswith("data:")} == {address}
    assert complaints == []


def rows(page: Page, table: str) -> list[str]:
    """The names of a table's rows, in their order."""
    names = page.locator(f"#{table} tbody th.name").all_inner_texts()
    return [name.splitlines()[0] for name in names]


def test_every_table_and_figure_is_shown(visit: Open) -> None:
    page = visit()
    for number in range(1, 7):
        assert page.locator(f"#table{number} table.sortable tbody tr").count() >= 2
    for name in FIGURES:
        image = page.locator(f"#figure-{name} img")
        assert image.evaluate("image => image.complete && image.naturalWidth") > 200
    assert page.locator(".claim").count() >= 15


def test_sorts_by_keyboard(visit: Open) -> None:
    page = visit()
    original = rows(page, "table1")
    heading = page.locator("#table1 th.metric").nth(1)  # EO of the first column: lower is better
    heading.get_by_role("button").focus()
    page.keyboard.press("Enter")
    assert heading.get_attribute("aria-sort") == "ascending"
    best = rows(page, "table1")
    fair = best.index("SupCon + ProtoFair")
    assert best[fair + 1] == "its equal-training control (λ = 0)"  # a control stays with its row
    values = [
        float(cell) for cell in page.locator("#table1 tbody tr:not(.control) td:nth-child(3)").evaluate_all(
            "cells => cells.map((cell) => cell.dataset.value).filter(Boolean)"
        )
    ]  # fmt: skip
    assert len(values) == 4  # CE, GRL, SupCon, SupCon + ProtoFair
    assert values == sorted(values)
    assert "ascending" in page.locator("#said").inner_text()  # a screen reader says it
    page.keyboard.press("Space")
    assert heading.get_attribute("aria-sort") == "descending"
    worst = [name for name in rows(page, "table1") if name in best[:5] and "control" not in name]
    assert worst == [name for name in reversed(best[:5]) if "control" not in name]
    page.keyboard.press("Enter")
    assert heading.get_attribute("aria-sort") == "none"
    assert rows(page, "table1") == original


def test_sorting_another_column_forgets_the_first(visit: Open) -> None:
    page = visit()
    headings = page.locator("#table1 th.metric")
    for number in (0, 3):
        headings.nth(number).get_by_role("button").click()
    assert [name for name in headings.evaluate_all("all => all.map((th) => th.ariaSort)") if name != "none"] == [
        "ascending"
    ]


def test_opens_the_details_of_a_cell_by_keyboard(visit: Open) -> None:
    page = visit()
    link = page.locator("#table1 tbody tr.method td a").first
    details = page.locator(str(link.get_attribute("href")))
    assert not details.is_visible()
    link.focus()
    page.keyboard.press("Enter")
    assert details.evaluate("details => details.open")
    assert details.locator("table").first.is_visible()
    assert page.evaluate("document.activeElement.parentElement.id") == details.get_attribute("id")
    page.keyboard.press("Enter")
    assert not details.evaluate("details => details.open")


def test_opens_a_claim_by_keyboard(visit: Open) -> None:
    page = visit()
    claim = page.locator(".claim").first
    claim.locator("summary").focus()
    page.keyboard.press("Enter")
    assert "Rule:" in claim.inner_text()


def test_intervals_on_demand(visit: Open) -> None:
    page = visit(java_script_enabled=False)
    interval = page.locator("#table1 .interval").first
    assert not interval.is_visible()
    page.get_by_label("Show 95 % intervals").check()
    assert interval.is_visible()
    assert interval.inner_text().startswith("[")


@pytest.mark.parametrize(("label", "start"), [("CSV", "table,row,"), ("LaTeX", r"\begin{table}"), ("Markdown", "Tab")])
def test_copies_a_table(visit: Open, label: str, start: str) -> None:
    page = visit(permissions=["clipboard-read", "clipboard-write"])
    page.locator("#table1").get_by_role("button", name=f"Copy as {label}").click()
    page.wait_for_function("document.getElementById('said').textContent.endsWith('done')")
    assert page.evaluate("navigator.clipboard.readText()").startswith(start)


def test_copies_where_the_clipboard_is_refused(visit: Open) -> None:
    page = visit()
    page.evaluate("document.addEventListener('copy', () => { window.copied = document.activeElement.value; })")
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('refused')); }")
    page.locator("#table2").get_by_role("button", name="Copy as CSV").click()
    page.wait_for_function("document.getElementById('said').textContent.endsWith('done')")
    assert page.evaluate("window.copied").startswith("table,row,")


def test_is_whole_without_scripts(visit: Open) -> None:
    page = visit(java_script_enabled=False)
    assert page.locator("table.sortable").count() == 6
    assert page.locator("figure img").count() == len(FIGURES)
    assert not page.locator("button").filter(visible=True).count()
    page.locator("#table1 .cells > summary").click()
    page.locator("#table1-r8-c1 > summary").click()
    assert page.locator("#table1-r8-c1").get_by_text("Test images", exact=True).is_visible()


def test_follows_the_colour_scheme(visit: Open) -> None:
    light, dark = (visit(color_scheme=scheme) for scheme in ("light", "dark"))
    colours = "getComputedStyle(document.body).backgroundColor + getComputedStyle(document.body).color"
    assert light.evaluate(colours) == "rgb(255, 255, 255)rgb(26, 29, 33)"
    assert dark.evaluate(colours) == "rgb(21, 24, 28)rgb(232, 234, 237)"
    shown = [page.locator("#figure-ablation img").screenshot() for page in (light, dark)]
    assert shown[0] != shown[1]  # figures too


def test_fits_a_phone(visit: Open) -> None:
    """Tables and figures scroll by themselves; the page does not, whatever is open."""
    page = visit(viewport={"width": 390, "height": 844})
    page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    box = page.locator("#table1 .scroll").first
    box.evaluate("box => { box.scrollLeft = 400; }")
    name = page.locator("#table1 tbody th.name").first.bounding_box()
    assert name
    assert name["x"] < 30  # a row keeps its name beside it


def test_prints(visit: Open, tmp_path: Path) -> None:
    if shutil.which("pdftotext") is None:
        pytest.skip("no pdftotext here: apt-get install poppler-utils")
    path = tmp_path / "report.pdf"
    path.write_bytes(visit().pdf(prefer_css_page_size=True))
    text = subprocess.run(["pdftotext", "-layout", path, "-"], check=True, capture_output=True, text=True).stdout
    for number in range(1, 7):
        assert f"Table {number}." in text
    assert "Rule:" in text  # claims are open on paper
    assert "Copy as" not in text


def test_policy_keeps_what_is_injected_out(browser: Browser, address: str) -> None:
    """Were a name not escaped, it could still do nothing."""
    page = browser.new_page()
    requests: list[Request] = []
    page.on("request", lambda request: requests.append(request))
    page.goto(address)
    seen = page.evaluate(
        """async () => {
          const blocked = [];
          document.addEventListener("securitypolicyviolation", (event) => blocked.push(event.effectiveDirective));
          const script = document.createElement("script");
          script.textContent = "window.harmed = true";
          document.body.append(script);
          document.body.insertAdjacentHTML("beforeend", `<p style="color: red">x</p>
            <img src="https://example.org/a.png" onerror="window.harmed = true"><iframe src="https://example.org"></iframe>`);
          await fetch("https://example.org/b").catch(() => {});
          await new Promise((resolve) => setTimeout(resolve, 300));
          return [blocked, window.harmed ?? false];
        }"""
    )
    page.close()
    assert set(seen[0]) >= {
        "script-src-elem",
        "script-src-attr",
        "img-src",
        "style-src-attr",
        "frame-src",
        "connect-src",
    }
    assert seen[1] is False
    assert {request.failure for request in requests if "example.org" in request.url} <= {"csp"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(visit: Open, scheme: str) -> None:
    page = visit(color_scheme=scheme)
    some = ".claim, #provenance details, #table1 .cells, #table1-r8-c1, #table1-r8-c1 details"
    page.evaluate(f"document.querySelectorAll('{some}').forEach((details) => {{ details.open = true; }})")
    found = Axe().run(page).response["violations"]
    assert not found, json.dumps([[rule["id"], rule["help"], rule["nodes"][0]["html"]] for rule in found], indent=1)


def test_axe_finds_nothing_on_a_phone(visit: Open) -> None:
    found = Axe().run(visit(viewport={"width": 390, "height": 844})).response["violations"]
    assert not found, json.dumps([[rule["id"], rule["help"], rule["nodes"][0]["html"]] for rule in found], indent=1)
