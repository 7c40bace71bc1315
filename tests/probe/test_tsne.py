import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.manifold import trustworthiness
from threadpoolctl import threadpool_limits

from protofair.core.errors import UserError
from protofair.core.packed import Packed
from protofair.probe import tsne as stage
from protofair.probe.bootstrap import estimate
from protofair.probe.tsne import embed, run_tsne, sample

FOLDER = Path("results/demo/tsne/a")


@pytest.fixture
def drawing(entry):
    return {
        "checkpoint": entry["checkpoint"],
        "data": "tiny",
        "target": "Smiling",
        "sensitive": "Male",
        "points": 50,
        "perplexity": 10,
        "bootstrap": 20,
    }


@pytest.fixture
def run(write_plan, drawing):
    """Draw the quick entry, with some of it changed."""
    return lambda **changes: run_tsne(write_plan(tsne={"a": drawing | changes}), "a")


def test_points_are_a_sample_of_the_test_set_with_their_labels(run):
    found = run()
    points = pd.read_csv(FOLDER / "points.csv")
    assert list(points.columns) == ["x", "y", "target", "sensitive"]
    packed = Packed.open(Path("data/packed/tiny"))
    rows = sample(packed.rows("test"), points=50, seed=0)
    np.testing.assert_array_equal(points["target"], packed.values("Smiling", rows))
    np.testing.assert_array_equal(points["sensitive"], packed.values("Male", rows))
    assert found["count"] == 50
    assert found == json.loads((FOLDER / "tsne.json").read_text())
    for space in ("plane", "features"):
        mixing = found["mixing"][space]
        assert mixing["low"] <= mixing["value"] <= mixing["high"]
    assert sorted(path.name for path in FOLDER.iterdir()) == ["points.csv", "run.json", "tsne.json"]


def test_the_same_inputs_give_the_same_bytes(run):
    def content():
        run()
        return [(FOLDER / name).read_bytes() for name in ("points.csv", "tsne.json")]

    assert content() == content()


def test_a_sample_is_drawn_by_the_seed_and_kept_in_order():
    rows = np.arange(1000, 2000, 3)
    drawn = sample(rows, points=100, seed=1)
    assert len(np.unique(drawn)) == 100
    assert np.isin(drawn, rows).all()
    assert (np.diff(drawn) > 0).all()
    np.testing.assert_array_equal(drawn, sample(rows, points=100, seed=1))
    assert not np.array_equal(drawn, sample(rows, points=100, seed=2))
    np.testing.assert_array_equal(sample(rows, points=334, seed=1), rows)


def test_the_plane_keeps_neighbours_and_not_the_number_of_threads():
    features = np.random.default_rng(0).normal(size=(90, 5)).astype(np.float32)
    features[45:] += 6
    planes = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            plane, divergence = embed(features, perplexity=10, seed=0)
        planes.append(plane)
    np.testing.assert_array_equal(*planes)
    assert divergence > 0
    assert trustworthiness(features, planes[0], n_neighbors=5) > 0.85


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"perplexity": 50}, "plan.yaml: tsne.a: 'perplexity': 50 is too many for the 50 images drawn"),
        ({"neighbours": 64, "perplexity": 5}, "plan.yaml: tsne.a: 'neighbours': 64 is too many"),
        ({"sensitive": "Mael"}, "Did you mean 'Male'"),
    ],
)
def test_an_error_names_its_cause_and_writes_nothing(run, changes, message):
    with pytest.raises(UserError, match=message):
        run(**changes)
    assert not FOLDER.exists()


def test_seed_and_resamples_of_the_entry_are_those_of_sample_plane_and_intervals(run, monkeypatch):
    drawn, embedded, measured = [], [], []
    monkeypatch.setattr(stage, "sample", lambda rows, **given: drawn.append(given) or sample(rows, **given))
    monkeypatch.setattr(stage, "embed", lambda x, **given: embedded.append(given) or embed(x, **given))
    monkeypatch.setattr(stage, "estimate", lambda x, **given: measured.append(given) or estimate(x, **given))
    run(seed=5, bootstrap=7, perplexity=9)
    assert drawn == [{"points": 50, "seed": 5}]
    assert embedded == [{"perplexity": 9, "seed": 5}]
    assert measured == [{"rows": 50, "resamples": 7, "seed": 5}]
