"""The report reads what the stages really write: a suite of one objective on noise, run by their own commands."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from protofair.plan.plan import Plan
from protofair.plan.resolve import resolve
from protofair.plan.suite import Suite
from protofair.probe.command import probe, tsne
from protofair.report.build import build
from protofair.train.command import fair, warmup

IMAGES, SIZE = 160, 16
SUITE = {
    "suite": "tiny",
    "title": "Noise",
    "scale": "tiny",
    "data": {"celeba": {"dataset": "celeba", "size": SIZE, "source": "toy"}},
    "training": {"encoder": {"name": "resnet-tiny"}, "optimiser": {"lr": 0.05, "batch_size": 16}, "epochs": 2},
    "fair": {"epochs": 1, "weight": 0.3, "num_prototypes": 3},
    "probe": {"epochs": 1, "bootstrap": 20, "neighbours": 3},
    "tables": {
        "table2": {
            "data": "celeba",
            "columns": {"T:a, S:m": {"target": "Attractive", "sensitive": "Male"}},
            "rows": [
                {"name": "SimCLR", "objective": "simclr"},
                {"name": "SimCLR + ProtoFair", "objective": "simclr", "fair": {}},
            ],
        }
    },
    "tsne": {
        "data": "celeba",
        "columns": {"Big Nose": {"target": "Big_Nose", "sensitive": "Male"}},
        "rows": [{"name": "SimCLR", "objective": "simclr"}],
        "options": {"points": 40, "perplexity": 5, "neighbours": 3, "bootstrap": 20},
    },
}


@pytest.fixture(scope="module")
def world(tmp_path_factory, pytestconfig):
    """(plan, root) of the suite, run."""
    root = tmp_path_factory.mktemp("world")
    plan = resolve(Suite.model_validate(SUITE))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        (root / "params").mkdir()
        shutil.copy(pytestconfig.rootpath / "params" / "reference.yaml", root / "params")
        (root / "params" / "plan.yaml").write_text(plan.text())
        (data,) = plan.prepare
        write_noise(root / "data" / "packed" / data)
        for command in (warmup, fair, probe, tsne):
            for key in getattr(plan, command.name):
                run = CliRunner().invoke(command, [key], catch_exceptions=False)
                assert run.exit_code == 0, run.output
    return Plan.read(root / "params" / "plan.yaml"), root


def write_noise(folder):
    """A packed set, as `protofair prepare` leaves one."""
    random = np.random.default_rng(0)
    folder.mkdir(parents=True)
    np.save(folder / "images.npy", random.integers(256, size=(IMAGES, SIZE, SIZE, 3), dtype=np.uint8))
    labels = {name: random.integers(2, size=IMAGES) for name in ("Attractive", "Big_Nose", "Male")}
    splits = ["train"] * 80 + ["val"] * 30 + ["test"] * 50
    table = pd.DataFrame({"id": [f"{i:06d}.jpg" for i in range(IMAGES)], "split": splits, **labels})
    table.to_csv(folder / "labels.csv", index=False)
    (folder / "manifest.json").write_text("{}")


def test_everything_is_found_and_nothing_is_wrong(world):
    report = build(*world)
    assert report.problems == ()
    table = next(table for table in report.tables if table.name == "table2")
    states = {(row.name, row.kind): row.cells[0].state for row in table.rows if row.cells[0].state != "not planned"}
    assert set(states.values()) == {"done"}
    assert len(states) == 3, "the base, ProtoFair, its control"
    assert [panel.state for panel in report.figures.tsne] == ["done"]
    assert dict(report.outcome.facts)["runs"] == "7 of 7 done"
    assert {claim.id for claim in report.claims if claim.verdict != "not run"} == {"simclr-eo"}


def test_numbers_are_those_of_the_files(world):
    plan, root = world
    report = build(plan, root)
    table = next(table for table in report.tables if table.name == "table2")
    cell = next(row for row in table.rows if row.ours).cells[0]
    content = json.loads(
        (root / "results" / "tiny" / "probe" / cell.details.runs[0].probe / "metrics.json").read_text()
    )
    test = content["tasks"][0]["test"]
    assert cell.numbers[0].ours.mean == test["accuracy"]["value"]
    assert cell.details.counts == test["counts"]
    assert sum(group.count for group in cell.details.groups) == 50
    assert cell.numbers[1].against_control is not None


def test_curves_have_what_the_log_has(world):
    plan, root = world
    report = build(plan, root)
    for key, entry in plan.fair.items():
        curve = report.curves[f"fair@{key}"]
        assert list(curve.frame["epoch"]) == [3]
        assert {"loss", "base", "fair", "within", "cross", "clusters.sensitive_purity"} <= set(curve.frame.columns)
        assert curve.occupancy["share"].sum() == pytest.approx(1, abs=1e-4)
        assert len(report.curves[f"warmup@{entry['warmup']}"].frame) == 2


def test_fabricated_files_have_the_form_of_real_ones(world, fabricate, tmp_path):
    """Every key and kind of value of a real file, at the same place of the made-up one."""
    plan, root = world
    fabricate(plan, tmp_path, rows=50)
    compared = 0
    for path in sorted((root / "results").rglob("*")):
        made_up = tmp_path / path.relative_to(root)
        if path.name in ("metrics.json", "tsne.json"):
            assert shape(json.loads(made_up.read_text())) == shape(json.loads(path.read_text())), path.name
        elif path.name == "run.json":
            real = json.loads(path.read_text())
            assert {"wall_seconds", "hardware", "versions"} <= set(real)
            assert set(json.loads(made_up.read_text())["hardware"]) == set(real["hardware"])
        elif path.name == "log.jsonl":
            lines = [json.loads(file.read_text().splitlines()[-1]) for file in (made_up, path)]
            assert set(lines[0]) == set(lines[1]) - {"warning"}, path
        else:
            continue
        compared += 1
    assert compared == 3 * 2 + 1 * 2 + 3 * 2


def shape(value):
    """The keys of nested objects and the kinds of their values; hashes, lists and numbers as such."""
    if isinstance(value, dict):
        return {key: shape(part) for key, part in value.items() if key not in ("inputs", "training")}
    if isinstance(value, list):
        return [shape(part) for part in value[:1]]
    return "number" if isinstance(value, int | float) and not isinstance(value, bool) else type(value).__name__
