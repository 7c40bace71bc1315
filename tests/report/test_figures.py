"""Each figure draws what its data says, the same way every time, and nothing where there is nothing."""

import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from protofair.plan.plan import Plan
from protofair.report.build import build
from protofair.report.figures.ablation import draw_ablation
from protofair.report.figures.dag import draw_dag
from protofair.report.figures.method import draw_method
from protofair.report.figures.occupancy import draw_occupancy
from protofair.report.figures.pairs import draw_pairs
from protofair.report.figures.pareto import draw_pareto
from protofair.report.figures.picture import Picture
from protofair.report.figures.training import draw_training
from protofair.report.figures.tsne import draw_tsne
from protofair.report.model import Figures, ReportModel
from protofair.report.pairs import FoundPairs


@pytest.fixture(scope="module")
def model(demo_plan: Plan, demo_root: Path) -> ReportModel:
    return build(demo_plan, demo_root)


@pytest.fixture
def empty(model: ReportModel) -> ReportModel:
    """Nothing has run."""
    figures = model.figures
    panels = tuple(replace(panel, points=None, mixing={}) for panel in figures.tsne)
    return replace(model, curves={}, figures=Figures(panels, figures.ablation.head(0), (), figures.pareto.head(0)))


def texts(picture: Picture) -> list[str]:
    """What is written in a figure."""
    found = [element for element in ET.fromstring(picture.svg).iter() if element.tag.endswith("}text")]
    return ["".join(element.itertext()).strip() for element in found]


def check(picture: Picture | None) -> Picture:
    assert picture is not None
    assert picture.pdf.startswith(b"%PDF")
    ET.fromstring(picture.svg)
    ET.fromstring(picture.for_page)  # still well formed
    assert not {"", None} & {picture.title, picture.caption, picture.alternative}
    return picture


def test_nothing_to_draw_is_no_picture(empty: ReportModel, demo_plan: Plan) -> None:
    assert draw_tsne(empty) is None
    assert draw_ablation(empty) is None
    assert draw_pareto(empty) == []
    assert draw_training(empty, demo_plan) is None
    assert draw_occupancy(empty, demo_plan) is None
    assert draw_pairs(None) is None


def test_method_is_drawn_without_any_result() -> None:
    picture = check(draw_method())
    assert {"(a) two heads", "(b) pairs", "(c) batch and queue"} <= set(texts(picture))
    assert draw_method().svg == picture.svg
    assert draw_method().pdf == picture.pdf


def test_tsne_has_a_panel_for_each_target_and_method(model: ReportModel) -> None:
    picture = check(draw_tsne(model))
    titles = {text for text in texts(picture) if ": SupCon" in text}
    assert titles == {f"{panel.column}: {panel.row}" for panel in model.figures.tsne}
    assert {"Male = 0", "Male = 1"} <= set(texts(picture))
    points = [panel.points for panel in model.figures.tsne if panel.points is not None]
    assert len(picture.data) == sum(len(part) for part in points)
    assert b"data:image/png;base64" in picture.svg  # thousands of points are raster
    assert len(picture.svg) < 400_000


def test_tsne_shows_a_panel_that_is_there_while_another_waits(model: ReportModel) -> None:
    first, *others = model.figures.tsne
    waiting = (replace(first, points=None, state="pending"), *others)
    picture = check(draw_tsne(replace(model, figures=replace(model.figures, tsne=waiting))))
    assert f"{first.column}: {first.row}" not in texts(picture)
    assert f"{others[0].column}: {others[0].row}" in texts(picture)


def test_ablation_has_every_value_and_pair(model: ReportModel) -> None:
    picture = check(draw_ablation(model))
    data = picture.data
    assert {"EO (%)", "accuracy (%)", "weight λ", "number of prototypes K"} <= set(texts(picture))
    counts = data.loc[data["vary"] == "num_prototypes", "value"]
    assert {f"{value:g}" for value in counts} <= set(texts(picture))
    assert set(data["column"]) <= set(texts(picture))
    assert len(data) == len(model.figures.ablation)


def test_ablation_keeps_a_value_in_its_place_where_another_is_missing(model: ReportModel) -> None:
    """Two pairs, one without the smallest K: its points stand above the same K as the other's."""
    data = model.figures.ablation[lambda frame: frame["vary"] == "num_prototypes"]
    second = data[data["value"] > data["value"].min()].assign(column="another")
    both = replace(model.figures, ablation=pd.concat([data, second]))
    picture = check(draw_ablation(replace(model, figures=both)))
    marks = _marks(picture)
    assert len(marks) == 2
    first, other = marks.values()
    assert other == first - {min(first)}


def _marks(picture: Picture) -> dict[str, set[float]]:
    """Horizontal places of the markers in the upper panel, by colour."""
    axes = next(e for e in ET.fromstring(picture.svg).iter() if e.get("id") == "axes_1")
    marks: dict[str, set[float]] = {}
    for line in (e for e in axes if (e.get("id") or "").startswith("line2d")):
        used = [e for e in line.iter() if e.tag.endswith("}use")]
        if len(used) > 1 and "fill" in (used[0].get("style") or ""):
            colour = str(used[0].get("style")).partition("fill: ")[2].partition(";")[0]
            marks.setdefault(colour, set()).update(round(float(str(e.get("x"))), 1) for e in used)
    return {colour: places for colour, places in marks.items() if colour.startswith("#")}


def test_pareto_shows_all_methods_of_a_table(model: ReportModel) -> None:
    pictures = {picture.name: check(picture) for picture in draw_pareto(model)}
    assert list(pictures) == [f"pareto-table{number}" for number in range(1, 6)]  # Table 6 has no accuracy
    table1 = pictures["pareto-table1"]
    methods = {
        "CE",
        "GRL",
        "LNL",
        "FD-VAE",
        "MFD",
        "FSCL",
        "SupCon",
        "SupCon + ProtoFair",
        "SupCon + ProtoFair: control",
    }
    assert methods <= set(texts(table1))
    assert {"T:a, S:m", "T:e, S:y"} <= set(texts(table1))
    assert set(table1.data["source"]) == {"ours", "paper"}
    assert set(table1.data["table"]) == {"table1"}


def test_losses_far_apart_are_written_in_plain_numbers(model: ReportModel, demo_plan: Plan) -> None:
    small = {
        name: replace(curve, frame=curve.frame.assign(base=curve.frame["base"] / 100))
        for name, curve in model.curves.items()
        if name.startswith("warmup@byol")
    }
    picture = check(draw_training(replace(model, curves={**model.curves, **small}), demo_plan))
    assert "0.1" in texts(picture), "the axis is logarithmic"
    assert not [text for text in texts(picture) if "$" in text]


def test_training_is_the_mean_over_seeds(model: ReportModel, demo_plan: Plan) -> None:
    picture = check(draw_training(model, demo_plan))
    key = next(iter(demo_plan.fair))
    seeds = [model.curves[f"fair@{name}"].frame for name in (key, key.replace("-s0", "-s1"))]
    drawn = picture.data[
        lambda data: (data["run"] == key.replace("-s0", "")) & (data["measured"] == "fair") & (data["stage"] == "fair")
    ]
    np.testing.assert_allclose(drawn["mean"], (seeds[0]["fair"] + seeds[1]["fair"]) / 2)
    assert drawn["epoch"].to_list() == list(range(1, demo_plan.fair[key]["epochs"] + 1))
    assert set(drawn["count"]) == {2}
    assert {"supcon", "supcon, control", "byol"} <= set(texts(picture))


def test_occupancy_shows_protofair_runs(model: ReportModel, demo_plan: Plan) -> None:
    picture = check(draw_occupancy(model, demo_plan))
    shown = set(picture.data["run"])
    assert 2 <= len(shown) <= 6
    assert all(demo_plan.fair[run]["weight"] > 0 for run in shown)
    np.testing.assert_allclose(picture.data.groupby("run")["share"].sum(), 1, atol=1e-4)
    assert {"sensitive group 0", "sensitive group 1"} <= set(texts(picture))


def test_dag_counts_stages_and_edges(paper_report: ReportModel, paper_plan: Plan) -> None:
    picture = check(draw_dag(paper_report, paper_plan))
    edges = picture.data.set_index(["from", "to"])["edges"]
    assert edges["warmup", "fair"] == len(paper_plan.fair)
    assert edges["prepare", "probe"] == len(paper_plan.probe)
    assert edges["tsne", "report"] == len(paper_plan.tsne)
    assert sum(edges[stage, "probe"] for stage in ("warmup", "fair", "baseline", "select")) == len(paper_plan.probe)
    assert edges["probe", "select"] == 3 * len(paper_plan.select) > 0
    assert edges["warmup", "baseline"] == sum("teacher" in entry for entry in paper_plan.baseline.values()) > 0
    assert f"{len(paper_plan.fair)} of {len(paper_plan.fair)} done" in texts(picture)


def test_dag_of_a_plan_without_a_choice(model: ReportModel, demo_plan: Plan) -> None:
    assert "0 planned" in texts(check(draw_dag(model, demo_plan)))


@pytest.mark.parametrize("channels", [1, 3])
def test_pairs_are_shown_with_their_labels(channels: int) -> None:
    images = np.random.default_rng(0).integers(256, size=(2, 2, 8, 8, channels)).astype(np.uint8)
    labels = {"id": "1.png", "target": 1, "sensitive": 0}
    facts = {f"first_{name}": value for name, value in labels.items()}
    facts |= {f"second_{name}": value for name, value in (labels | {"sensitive": 1}).items()}
    frame = pd.DataFrame([{"cluster": 3, "similarity": 0.9, **facts}, {"cluster": 5, "similarity": 0.8, **facts}])
    picture = check(draw_pairs(FoundPairs("a run", "Big_Nose", "Male", images, frame)))
    assert {"cluster 3, cosine 0.90", "cluster 5, cosine 0.80", "Male = 0", "Male = 1"} <= set(texts(picture))
    assert "2 of these 2 agree in Big_Nose" in picture.caption
    assert picture.svg.count(b"data:image/png;base64") == 2


@pytest.mark.parametrize("draw", [draw_tsne, draw_ablation])
def test_drawn_again_is_the_same(model: ReportModel, draw: Callable[[ReportModel], Picture | None]) -> None:
    first, second = check(draw(model)), check(draw(model))
    assert (first.svg, first.pdf) == (second.svg, second.pdf)


def test_dark_page_gets_light_ink(model: ReportModel) -> None:
    picture = check(draw_ablation(model))
    assert b"prefers-color-scheme: dark" in picture.for_page
    assert b"prefers-color-scheme" not in picture.svg  # the file is for white paper
