"""Claims decided from end to end, by the predictions of whole suites."""

import json

import pytest

from protofair.report.claims.ledger import STATEMENTS, decide
from protofair.report.reference import read_reference
from protofair.report.results import Results

CLAIMS = {statement.id: statement for statement in STATEMENTS}


@pytest.fixture
def decided(fabricate, tmp_path):
    def run(plan, **options):
        fabricate(plan, tmp_path, **options)
        claims = decide(Results(plan, read_reference(tmp_path / "params" / "reference.yaml"), tmp_path))
        return {claim.id: claim for claim in claims}

    return run


@pytest.mark.parametrize(("effect", "verdict"), [(1.0, "supported"), (0.0, "inconclusive"), (-1.0, "not supported")])
def test_predictions_decide(decided, plan_of, effect, verdict):
    claims = decided(plan_of("paper", only=["table4"]), rows=8000, effect=effect, control=0.0)
    assert claims["utkface-eo"].verdict == verdict
    assert claims["celeba-eo"].verdict == "not run"


def test_an_effect_of_mere_training_is_called_one(decided, plan_of):
    claims = decided(plan_of("paper", only=["table2"]), rows=8000, effect=1.0, control=1.0)
    assert claims["simclr-eo"].verdict == "supported"
    assert "the control explains it in 1 of 1" in claims["simclr-eo"].note


def test_a_smaller_suite_decides_on_its_own_cells(decided, plan_of):
    claims = decided(plan_of("mini"), rows=4000)
    assert claims["utkface-eo"].verdict == "supported"
    assert claims["tsne-mixing"].verdict == "supported"
    assert claims["celeba-eo"].verdict == claims["nih-eo"].verdict == "not run"
    sizes = [line for line in claims["utkface-eo"].evidence if line.kind == "paper"]
    assert sizes
    assert all(line.verdict is None for line in sizes), "at another scale the paper's size is no yardstick"


def test_columns_a_smaller_suite_leaves_out_do_not_hold_it_up(decided, plan_of):
    plan = plan_of("mini", only=["utkface-a4"])
    assert decided(plan, rows=4000)["utkface-eo"].verdict == "supported"
    plan.report["scale"] = "full"
    claim = decided(plan, rows=4000)["utkface-eo"]
    assert claim.verdict == "not run"
    assert "alpha=3, alpha=2" in claim.evidence[-1].text


def test_a_missing_seed_is_not_run_and_says_what_to_run(decided, plan_of, damage, tmp_path):
    plan = plan_of("mini", seeds=[0, 1])
    decided(plan, rows=500)
    cell = next(cell for cell in plan.report["tables"]["table4"] if cell["row"] == "SupCon")
    path = tmp_path / "results" / "mini" / "probe" / cell["runs"]["1"] / "metrics.json"
    for content in (None, "{"):
        damage(path, content)
        results = Results(plan, read_reference(tmp_path / "params" / "reference.yaml"), tmp_path)
        claim = CLAIMS["utkface-eo"].decide(results)
        assert claim.verdict == "not run"
        missing = next(line for line in claim.evidence if line.kind == "missing")
        assert f"dvc repro probe@{cell['runs']['1']}" in missing.text
        assert any(line.kind == "ours" and line.verdict for line in claim.evidence), "what is there is shown"


def test_the_tsne_claim_waits_for_its_pictures(decided, plan_of, tmp_path):
    plan = plan_of("mini")
    decided(plan, rows=200)
    key = plan.report["tsne"][1]["tsne"]
    path = tmp_path / "results" / "mini" / "tsne" / key / "tsne.json"
    content = json.loads(path.read_text())
    path.unlink()
    reference = read_reference(tmp_path / "params" / "reference.yaml")
    claim = CLAIMS["tsne-mixing"].decide(Results(plan, reference, tmp_path))
    assert claim.verdict == "not run"
    assert f"dvc repro tsne@{key}" in claim.evidence[0].text
    content["mixing"]["plane"] = {"value": 0.46, "low": 0.42, "high": 0.5}
    path.write_text(json.dumps(content))
    assert CLAIMS["tsne-mixing"].decide(Results(plan, reference, tmp_path)).verdict == "inconclusive"


def test_a_control_that_was_not_run_is_seen_too(decided, plan_of):
    plan = plan_of("paper", only=["table2"])
    for cell in plan.report["tables"]["table2"]:
        cell.pop("controls", None)
    claim = decided(plan, rows=4000)["simclr-eo"]
    assert (claim.verdict, claim.note) == ("supported", "no equal-training control for 1 of 1 comparisons")
