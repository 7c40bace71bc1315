import json
import shutil

import pytest

from protofair.report.build import build
from protofair.report.cells import base_row
from protofair.report.reference import read_reference
from protofair.report.tables import CONTROL


def find(report, table, row, column, *, control=False):
    """A cell, or the control below it."""
    found = next(found for found in report.tables if found.name == table)
    names = [line.name for line in found.rows]
    line = found.rows[names.index(row) + (1 if control else 0)]
    assert not control or line.kind == "control"
    return line.cells[found.columns.index(column)]


@pytest.fixture(scope="module")
def mini(plan_of, fabricate, tmp_path_factory):
    """(plan, root) of the mini suite with two seeds, done."""
    plan, root = plan_of("mini", seeds=[0, 1]), tmp_path_factory.mktemp("mini")
    fabricate(plan, root, rows=300)
    return plan, root


@pytest.fixture(scope="module")
def second(mini):
    """(cell of the plan, folder of its second seed's probe)."""
    plan, root = mini
    cell = next(cell for cell in plan.report["tables"]["table4"] if cell["row"] == "SupCon")
    return cell, root / "results" / "mini" / "probe" / cell["runs"]["1"]


def test_tables_have_the_papers_layout(paper_report, paper_root):
    reference = read_reference(paper_root / "params" / "reference.yaml")
    assert [table.name for table in paper_report.tables] == list(reference.tables)
    for table in paper_report.tables:
        printed = reference.tables[table.name]
        assert table.columns == printed.columns
        assert tuple(metric.name for metric in table.metrics) == printed.metrics
        assert [row.name for row in table.rows if row.kind == "paper"] == list(printed.rows)
        for row in table.rows:
            assert [cell.column for cell in row.cells] == list(table.columns)


def test_every_number_of_the_paper_stands_in_its_place(paper_report, paper_root):
    reference = read_reference(paper_root / "params" / "reference.yaml")
    for table in paper_report.tables:
        for row in table.rows:
            for cell in row.cells:
                for value in cell.numbers:
                    printed = reference.tables[table.name].value(row.name, cell.column, value.metric)
                    assert value.paper == (None if row.kind == "control" else printed)


def test_each_protofair_row_has_its_control_below(paper_report):
    for table in paper_report.tables:
        for row, below in zip(table.rows, (*table.rows[1:], None), strict=True):
            assert (below is not None and below.kind == "control") == row.ours
            if row.ours:
                assert below.name == CONTROL
                assert [cell.row for cell in below.cells] == [row.name] * len(table.columns)


def test_the_suites_own_rows_come_after_the_papers(mini):
    table = next(table for table in build(*mini).tables if table.name == "table4")
    kinds = [(row.name, row.kind) for row in table.rows if row.kind != "control"]
    assert kinds == [
        ("FSCL", "paper"),
        ("SupCon", "paper"),
        ("SupCon + ProtoFair", "paper"),
        ("CE", "added"),
        ("FSCL + ProtoFair", "added"),
        ("SupCon + ProtoFair (rate: tail)", "added"),
    ]
    assert all(value.paper is None for cell in table.rows[-2].cells for value in cell.numbers)


def test_a_protofair_row_is_compared_with_the_row_it_builds_on():
    assert base_row("SupCon + ProtoFair") == "SupCon"
    assert base_row("SupCon + ProtoFair (rate: tail)") == "SupCon"
    assert base_row("SimCLR + GRL") is None


def test_rows_that_nobody_runs_show_the_papers_numbers(mini):
    cell = find(build(*mini), "table1", "GRL", "T:b, S:m")
    assert (cell.state, cell.quoted) == ("not planned", True)
    assert [value.paper for value in cell.numbers] == [82.5, 14.0]
    assert all(value.ours is None and value.glyph == "" for value in cell.numbers)


def test_numbers_of_the_authors_are_not_marked_as_quoted(paper_report):
    assert find(paper_report, "table1", "SupCon", "T:b, S:m").quoted
    assert not find(paper_report, "table1", "SupCon + ProtoFair", "T:b, S:m").quoted
    assert not find(paper_report, "table1", "SupCon + ProtoFair", "T:b, S:m", control=True).quoted
    assert not find(paper_report, "table5", "SupCon", "Pneumothorax").quoted


def test_a_cell_is_the_mean_of_its_seeds(paper_report, paper_plan, paper_root):
    cell = find(paper_report, "table1", "SupCon + ProtoFair", "T:b, S:m")
    planned = next(
        entry
        for entry in paper_plan.report["tables"]["table1"]
        if (entry["row"], entry["column"]) == ("SupCon + ProtoFair", "T:b, S:m")
    )
    found = []
    for probe in planned["runs"].values():
        content = json.loads((paper_root / "results" / "paper" / "probe" / probe / "metrics.json").read_text())
        task = next(task for task in content["tasks"] if task["sensitive"] == "Male")
        found.append(task["test"]["equalized_odds"]["value"])
    eo = cell.numbers[1]
    assert eo.ours.mean == pytest.approx(sum(found) / 3)
    assert eo.ours.low <= min(found)
    assert eo.ours.seeds == 3
    assert eo.difference == pytest.approx(eo.ours.mean - 15.8)


def test_glyph_and_tone_say_where_our_number_lies(plan_of, fabricate, tmp_path):
    """No effect at all: ProtoFair's EO lies above the paper's, which is worse; the base's number is the paper's."""
    plan = plan_of("paper", only=["table2"])
    fabricate(plan, tmp_path, rows=4000, effect=0.0)
    report = build(plan, tmp_path)
    accuracy, eo = find(report, "table2", "SimCLR + ProtoFair", "T:a, S:m").numbers
    assert (eo.glyph, eo.tone) == ("▲", "worse")
    assert (accuracy.glyph, accuracy.tone) == ("▲", "better")
    for value in find(report, "table2", "SimCLR", "T:a, S:m").numbers:
        assert (value.glyph, value.tone) == ("≈", "level")


def test_differences_against_base_and_control_are_paired(paper_report):
    cell = find(paper_report, "table2", "SimCLR + ProtoFair", "T:a, S:m")
    base = find(paper_report, "table2", "SimCLR", "T:a, S:m")
    control = find(paper_report, "table2", "SimCLR + ProtoFair", "T:a, S:m", control=True)
    for position, value in enumerate(cell.numbers):
        means = [other.numbers[position].ours.mean for other in (cell, base, control)]
        assert value.against_base.value == pytest.approx(means[0] - means[1])
        assert value.against_control.value == pytest.approx(means[0] - means[2])
    assert base.numbers[0].against_base is None
    assert control.numbers[0].against_control is None
    assert control.numbers[0].against_base is not None


def test_a_classifier_at_the_majority_rate_is_flagged(paper_report):
    assert find(paper_report, "table3", "BarlowTwins", "T:e, S:y").at_majority
    assert not find(paper_report, "table1", "SupCon + ProtoFair", "T:a, S:m").at_majority
    for table in paper_report.tables:
        for row in table.rows:
            for cell in row.cells:
                if cell.state == "done":
                    assert cell.balanced_accuracy is not None
                    assert cell.majority_rate >= 50


def test_details_open_what_is_behind_a_cell(paper_report, paper_plan):
    cell = find(paper_report, "table1", "SupCon + ProtoFair", "T:a, S:y")
    details = cell.details
    assert sum(sum(groups.values()) for groups in details.counts.values()) == 1000
    assert sum(group.count for group in details.groups) == 1000
    assert [sorted(group.tpr) for group in details.groups] == [["1"], ["1"]]
    rates = [group.tpr["1"].mean for group in details.groups]
    false = [group.fpr["1"].mean for group in details.groups]
    eo = (abs(rates[0] - rates[1]) + abs(false[0] - false[1])) / 2
    assert eo == pytest.approx(cell.numbers[1].ours.mean, abs=0.5)
    assert details.settings["fair"]["from_epoch"] == 10
    assert details.settings["fair"]["epochs"] == 90
    assert details.settings["fair"]["cluster_space"] == "head", "a default that the plan does not state"
    assert details.settings["warmup"]["objective.temperature"] == 0.1
    assert [run.seed for run in details.runs] == ["0", "1", "2"]
    for run in details.runs:
        assert run.stages[0] == "acquire@celeba"
        assert run.stages[-1] == f"probe@{run.probe}"
        assert run.command == f"dvc repro probe@{run.probe}"
        assert [name.split("@")[0] for name in run.trainings] == ["warmup", "fair"]
        assert all(name in paper_report.curves for name in run.trainings)
        assert run.metrics["equalized_odds"].value >= 0


def test_digits_are_the_papers(paper_report):
    digits = {table.name: [metric.digits for metric in table.metrics] for table in paper_report.tables}
    assert digits["table1"] == [1, 1]
    assert digits["table3"] == [2, 2]
    assert digits["table5"] == [2, 2, 2, 2]
    assert digits["table6"] == [2, 1]


def test_nothing_run_yet_is_pending_with_the_command(plan_of, fabricate, tmp_path):
    plan = plan_of("demo")
    fabricate(plan, tmp_path, rows=200)
    shutil.rmtree(tmp_path / "results")
    report = build(plan, tmp_path)
    cell = find(report, "table2", "SimCLR", "T:a, S:m")
    assert cell.state == "pending"
    assert cell.note == f"run it: dvc repro probe@{cell.details.runs[0].probe}"
    assert [value.paper for value in cell.numbers] == [75.7, 29.4]
    assert cell.details.settings["warmup"]["objective.name"] == "simclr"
    assert report.problems == ()


def test_a_seed_that_is_missing_leaves_the_others(mini, second, damage):
    cell, folder = second
    damage(folder / "metrics.json", None)
    found = find(build(*mini), "table4", "SupCon", cell["column"])
    assert found.state == "partial"
    assert found.numbers[0].ours.seeds == 1
    assert found.note == f"run it: dvc repro probe@{cell['runs']['1']}"


def test_a_broken_file_is_named_in_its_cell_and_the_rest_is_there(mini, second, damage):
    cell, folder = second
    whole = build(*mini)
    damage(folder / "metrics.json", (folder / "metrics.json").read_text()[:500])
    report = build(*mini)
    found = find(report, "table4", "SupCon", cell["column"])
    assert found.state == "broken"
    assert f"results/mini/probe/{cell['runs']['1']}/metrics.json" in found.note
    assert len(report.problems) == 1
    assert report.problems[0] in found.note
    assert found.numbers[0].ours.seeds == 1
    assert find(report, "table4", "FSCL", "alpha=4") == find(whole, "table4", "FSCL", "alpha=4")
    assert whole.problems == ()


def test_predictions_that_are_gone_take_only_the_comparison(mini, second, damage):
    cell, folder = second
    damage(folder / "predictions.npz", b"")
    report = build(*mini)
    found = find(report, "table4", "SupCon + ProtoFair", cell["column"])
    assert found.numbers[1].ours.seeds == 2
    assert found.numbers[1].against_base.seeds == 1
    assert [problem.split(":")[0] for problem in report.problems] == [
        f"results/mini/probe/{cell['runs']['1']}/predictions.npz"
    ]


def test_metrics_that_are_not_those_of_the_predictions_are_a_problem(mini, second, damage):
    cell, folder = second
    content = json.loads((folder / "metrics.json").read_text())
    content["tasks"][0]["test"]["equalized_odds"]["value"] += 0.5
    damage(folder / "metrics.json", json.dumps(content))
    report = build(*mini)
    (problem,) = report.problems
    assert problem.startswith(f"results/mini/probe/{cell['runs']['1']}/metrics.json: says equalized_odds")
    accuracy, eo = find(report, "table4", "SupCon + ProtoFair", cell["column"]).numbers
    assert (accuracy.against_base.seeds, eo.against_base.seeds) == (2, 1)


def test_a_table_the_paper_does_not_have_is_shown_too(plan_of, fabricate, tmp_path):
    plan = plan_of("mini")
    plan.report["tables"]["more"] = plan.report["tables"].pop("table4")
    fabricate(plan, tmp_path, rows=200)
    report = build(plan, tmp_path)
    table = report.tables[-1]
    assert (table.name, table.number, table.state) == ("more", None, "done")
    assert [metric.name for metric in table.metrics] == ["accuracy", "equalized_odds"]
    assert next(found for found in report.tables if found.name == "table4").state == "not planned"


def test_a_method_with_its_own_classifier_shows_that_one_and_has_the_linear_probe_in_its_details(
    paper_report, paper_plan, paper_root
):
    cell = find(paper_report, "table1", "CE", "T:a, S:m")
    assert cell.own
    entry = next(
        entry
        for entry in paper_plan.report["tables"]["table1"]
        if (entry["row"], entry["column"]) == ("CE", "T:a, S:m")
    )
    path = paper_root / "results" / "paper" / "probe" / entry["runs"]["0"] / "metrics.json"
    tasks = json.loads(path.read_text())["tasks"]
    test = next(task["test"] for task in tasks if task["sensitive"] == "Male")
    (accuracy, odds), seed = cell.numbers, cell.details.runs[0].metrics
    assert seed["accuracy"].value == test["own"]["accuracy"]["value"] != test["accuracy"]["value"]
    assert seed["linear.accuracy"].value == test["accuracy"]["value"]
    assert accuracy.ours.mean == pytest.approx(cell.details.metrics["accuracy"].mean)
    assert odds.ours.mean != pytest.approx(cell.details.metrics["linear.equalized_odds"].mean)
    assert not paper_report.problems, "predictions and metrics are of the same classifier"
    assert not find(paper_report, "table1", "SupCon", "T:a, S:m").own
