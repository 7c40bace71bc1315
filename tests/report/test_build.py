"""The whole model: what the top says, the data of figures and curves, and that equal files give an equal report."""

import shutil
from dataclasses import asdict

import pandas as pd
import pytest

from protofair.report.build import build


@pytest.fixture(scope="module")
def demo(plan_of, fabricate, tmp_path_factory):
    plan, root = plan_of("demo"), tmp_path_factory.mktemp("demo")
    fabricate(plan, root, rows=200)
    return plan, root


def test_the_demo_says_at_the_top_that_it_is_not_the_papers_experiment(demo):
    outcome = build(*demo).outcome
    assert outcome.warning.startswith("This is not the paper's experiment")
    assert "all its images are drawings" in outcome.warning
    facts = dict(outcome.facts)
    assert "0 % of" in facts["data"]
    assert facts["suite"] == "demo: The paper in miniature, on drawings"
    assert facts["commit"] == "unknown, there is no repository here"


def test_a_small_suite_on_real_images_says_so_too(plan_of, fabricate, tmp_path):
    plan = plan_of("mini", only=["utkface-a4"])
    fabricate(plan, tmp_path, rows=100)
    warning = build(plan, tmp_path).outcome.warning
    assert "scale is “small”" in warning
    assert "drawings" not in warning


def test_the_papers_suite_needs_no_warning(paper_report, paper_plan):
    assert paper_report.outcome.warning == ""
    facts = dict(paper_report.outcome.facts)
    assert facts["seeds"] == "0, 1, 2"
    runs = sum(len(getattr(paper_plan, stage)) for stage in ("warmup", "fair", "baseline", "probe", "tsne"))
    assert facts["runs"] == f"{runs} of {runs} done"
    assert "hours of A GPU" in facts["compute"]
    assert "100 % of 50,000 prepared images are real" in facts["data"]


def test_the_sentence_counts_the_verdicts(paper_report):
    verdicts = paper_report.outcome.verdicts
    assert sum(verdicts.values()) == len(paper_report.claims)
    for verdict, count in verdicts.items():
        assert count == sum(claim.verdict == verdict for claim in paper_report.claims)
    tested = len(paper_report.claims) - verdicts["not run"]
    assert f"{tested} were put to the test here: {verdicts['supported']} supported" in paper_report.outcome.sentence


def test_nothing_run_is_a_report_too(demo, tmp_path):
    plan, root = demo
    shutil.copytree(root / "params", tmp_path / "params")
    report = build(plan, tmp_path)
    assert report.outcome.sentence == "None of the paper's 22 claims is decided yet: their runs are pending."
    assert report.problems == ()
    assert report.curves == {}
    assert len(report.figures.ablation) == 0
    assert report.figures.ablation_pending
    assert {panel.state for panel in report.figures.tsne} == {"pending"}
    assert dict(report.outcome.facts)["compute"] == "none yet"


def test_equal_files_give_an_equal_report(demo):
    first, second = build(*demo), build(*demo)
    for part in ("outcome", "claims", "tables", "open_points", "provenance", "problems"):
        assert getattr(first, part) == getattr(second, part)
    pd.testing.assert_frame_equal(first.figures.ablation, second.figures.ablation)
    pd.testing.assert_frame_equal(first.figures.pareto, second.figures.pareto)


def test_no_number_of_the_report_is_nan(paper_report):
    def check(value, place):
        if isinstance(value, dict):
            for key, part in value.items():
                check(part, f"{place}.{key}")
        elif isinstance(value, list | tuple):
            for number, part in enumerate(value):
                check(part, f"{place}.{number}")
        else:
            assert not isinstance(value, float) or value == value, place

    for part in (*paper_report.tables, *paper_report.claims):
        check(asdict(part), "")


def test_the_ablation_has_every_value_pair_and_metric(paper_report):
    frame = paper_report.figures.ablation
    assert len(frame) == (5 + 7) * 4 * 2
    assert set(frame["vary"]) == {"num_prototypes", "weight"}
    assert (frame["low"] <= frame["mean"]).all()
    assert (frame["mean"] <= frame["high"]).all()
    assert paper_report.figures.ablation_pending == ()


def test_the_pareto_view_has_ours_and_the_papers(paper_report):
    frame = paper_report.figures.pareto
    table1 = frame[frame["table"] == "table1"]
    assert len(table1[table1["source"] == "paper"]) == 8 * 6
    assert len(table1[table1["source"] == "ours"]) == (10 + 2) * 6
    assert "table6" not in set(frame["table"]), "it has no accuracy"
    ours = frame[frame["source"] == "ours"]
    assert (ours["equalized_odds_low"] <= ours["equalized_odds"]).all()


def test_curves_have_a_line_an_epoch_and_the_clusters_of_the_last(paper_report, paper_plan):
    key = next(key for key, entry in paper_plan.fair.items() if entry["epochs"] == 90)
    curve = paper_report.curves[f"fair@{key}"]
    assert list(curve.frame["epoch"]) == list(range(11, 101))
    assert {"loss", "base", "fair", "within", "cross", "clusters.pair_purity"} <= set(curve.frame.columns)
    assert curve.frame["kmeans.pair_purity"].notna().sum() == 18
    assert curve.occupancy["share"].sum() == pytest.approx(1, abs=1e-4)
    assert len(curve.occupancy) == 10 * 2
    warmup = paper_report.curves[f"warmup@{paper_plan.fair[key]['warmup']}"]
    assert warmup.occupancy is None


@pytest.mark.parametrize("text", ["{", "", "[]\n", '{"loss": 1}\n', '{"epoch": 1}\n{"ep'])
def test_a_broken_log_is_a_problem(demo, damage, text):
    plan, root = demo
    key = next(iter(plan.warmup))
    damage(root / "results" / "demo" / "warmup" / key / "log.jsonl", text)
    report = build(plan, root)
    assert f"warmup@{key}" not in report.curves
    assert [problem.split(":")[0] for problem in report.problems] == [f"results/demo/warmup/{key}/log.jsonl"]


@pytest.mark.parametrize(("name", "text"), [("tsne.json", "{"), ("points.csv", "a,b\n1,2\n"), ("points.csv", "")])
def test_a_broken_picture_is_a_problem(demo, damage, name, text):
    plan, root = demo
    key = plan.report["tsne"][0]["tsne"]
    damage(root / "results" / "demo" / "tsne" / key / name, text)
    report = build(plan, root)
    panel = report.figures.tsne[0]
    assert (panel.state, panel.points) == ("broken", None)
    assert report.problems == (panel.note,)
    assert panel.note.startswith(f"results/demo/tsne/{key}/{name}: ")
