import csv
import io
import json
import re
import shutil
import subprocess
from dataclasses import replace

import pytest

from protofair.report.export import FORMATS, to_csv, to_json, to_markdown, write_tables
from protofair.report.latex import escape, latex_document, latex_table
from protofair.report.layout import printed_rows

NASTY = '<script>alert(1)</script> & 50% of #1_x $y$ {z} ~a^b \\c "q" [opt] | ü — 学\n§'


@pytest.fixture(scope="module")
def tables(paper_report):
    return {table.name: table for table in paper_report.tables}


@pytest.fixture(scope="module")
def nasty(tables):
    """Table 4 with names that every format has a way to choke on."""
    table = tables["table4"]
    rows = tuple(
        replace(row, name=NASTY, cells=tuple(replace(cell, row=NASTY, column=NASTY, note=NASTY) for cell in row.cells))
        for row in table.rows
    )
    return replace(table, title=NASTY, columns=(NASTY,) * 3, rows=rows)


def test_csv_has_a_line_for_each_number(tables):
    lines = list(csv.DictReader(io.StringIO(to_csv(tables["table1"]))))
    assert len(lines) == len(tables["table1"].rows) * 6 * 2
    line = next(
        line
        for line in lines
        if (line["row"], line["kind"], line["column"], line["metric"])
        == ("SupCon + ProtoFair", "paper", "T:b, S:m", "equalized_odds")
    )
    value = next(row for row in tables["table1"].rows if row.ours).cells[2].numbers[1]
    assert float(line["ours"]) == pytest.approx(value.ours.mean, abs=1e-4)
    assert float(line["paper"]) == 15.8
    assert float(line["minus_control_high"]) == pytest.approx(value.against_control.high, abs=1e-4)
    assert (line["seeds"], line["quoted"]) == ("3", "False")
    controls = [line for line in lines if line["kind"] == "control"]
    assert {line["row"] for line in controls} == {"SupCon + ProtoFair", "FSCL + ProtoFair"}
    assert all(line["paper"] == "" for line in controls)


def test_csv_keeps_any_text(nasty):
    lines = list(csv.DictReader(io.StringIO(to_csv(nasty))))
    assert {line["row"] for line in lines} == {line["note"] for line in lines} == {NASTY}


def test_json_has_everything(tables):
    content = json.loads(to_json(tables["table5"]))
    assert content["number"] == 5
    cell = content["rows"][0]["cells"][0]
    assert [value["metric"] for value in cell["numbers"]] == ["accuracy", "auroc", "auroc_gap", "equalized_odds"]
    assert set(cell["details"]["runs"][0]["metrics"]) >= {"accuracy", "sensitive.accuracy"}
    assert cell["details"]["settings"]["probe"]["epochs"] == 10


def test_markdown_is_a_table_of_the_papers_width(tables, nasty):
    for table in (*tables.values(), nasty):
        _, empty, head, rule, *lines = to_markdown(table).splitlines()
        assert empty == ""
        wanted = 1 + len(table.columns) * len(table.metrics)
        for line in (head, rule, *lines):
            assert len(re.findall(r"(?<!\\)\|", line)) == wanted + 1
        assert len(lines) == len(list(printed_rows(table)))
    assert "FSCL\\*" in to_markdown(tables["table2"])
    assert "<script" not in to_markdown(nasty)


def test_lines_say_what_is_ours_quoted_and_waiting(tables):
    lines = {line.name: line.numbers for line in printed_rows(tables["table1"])}
    grl = next(row for row in tables["table1"].rows if row.name == "GRL")
    left_out = replace(grl, cells=tuple(replace(cell, state="not planned") for cell in grl.cells))
    (line,) = printed_rows(replace(tables["table1"], rows=(left_out,)))
    assert (line.name, *line.numbers[:2]) == ("GRL, the paper†", "77.2", "24.9")
    assert re.fullmatch(r"\d\d\.\d ± 0\.\d‡", lines["GRL"][0]), "its own classifier"
    assert re.fullmatch(r"\d\d\.\d ± 0\.\d", lines["SupCon + ProtoFair"][0])
    names = [line.name for line in printed_rows(tables["table1"])]
    place = names.index("SupCon + ProtoFair")
    assert names[place + 1 : place + 3] == ["– the paper", "– its equal-training control (λ = 0)"]
    waiting = [
        replace(cell, state=state, numbers=tuple(replace(value, ours=None) for value in cell.numbers))
        for cell, state in zip(tables["table4"].rows[1].cells, ("pending", "broken", "partial"), strict=True)
    ]
    row = replace(tables["table4"].rows[1], cells=tuple(waiting))
    line = next(printed_rows(replace(tables["table4"], rows=(row,))))
    assert line.numbers == ("…", "…", "!", "!", "…", "…")


def test_latex_has_the_papers_columns_and_rules(tables):
    text = latex_table(tables["table1"])
    assert text.count(r"\multicolumn{2}{c}") == 6
    assert r"\cmidrule(lr){12-13}" in text
    assert text.count(r"\midrule") == 3, "below the head, above SupCon, above SupCon + ProtoFair"
    assert r"$\alpha=4$" in latex_table(tables["table4"])
    assert text.isascii()
    for line in text.splitlines():
        if line.startswith("{"):
            assert line.count(" & ") == 12


def test_latex_takes_any_text():
    assert escape("50% & #1_x") == r"50\% \& \#1\_x"
    assert escape("\\input{/etc/passwd}") == r"\textbackslash{}input\{/etc/passwd\}"
    assert escape("ü ％ 学\x00") == r"u \% ??"
    assert escape(NASTY).isascii()


@pytest.mark.skipif(
    shutil.which("pdflatex") is None,
    reason="no pdflatex: apt-get install texlive-latex-base texlive-latex-recommended",
)
@pytest.mark.parametrize("name", ["table1", "table2", "table3", "table4", "table5", "table6", "nasty"])
def test_latex_compiles(tables, nasty, name, tmp_path):
    (tmp_path / "table.tex").write_text(latex_document(nasty if name == "nasty" else tables[name]))
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "table.tex"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False)
    assert run.returncode == 0, run.stdout[-2000:]
    assert (tmp_path / "table.pdf").stat().st_size > 5000
    if name != "nasty":
        assert "Overfull" not in run.stdout, "wider than a landscape page"


def test_files_are_the_same_each_time(paper_report, tmp_path):
    first = write_tables(paper_report.tables, tmp_path / "a")
    second = write_tables(paper_report.tables, tmp_path / "b")
    assert len(first) == 6 * len(FORMATS)
    assert [path.name for path in first][:4] == ["table1.csv", "table1.json", "table1.tex", "table1.md"]
    for a, b in zip(first, second, strict=True):
        assert a.read_bytes() == b.read_bytes()
