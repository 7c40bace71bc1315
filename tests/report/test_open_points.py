from copy import deepcopy

import pytest

from protofair.report.open_points import build_open_points


@pytest.fixture(scope="module")
def points(paper_plan):
    return build_open_points(paper_plan)


def changed(plan, stage, **options):
    """The open points of the plan with options of every entry of a stage changed."""
    plan = deepcopy(plan)
    for entry in getattr(plan, stage).values():
        for name, value in options.items():
            entry[name] = entry.get(name, {}) | value if isinstance(value, dict) else value
    return build_open_points(plan)


def test_there_are_the_fifteen_of_the_protocol(points):
    assert [point.number for point in points] == list(range(1, 16))
    assert all(point.question.endswith(".") and point.taken for point in points)


@pytest.mark.parametrize(
    ("number", "taken"),
    [(1, "head"), (2, "tail"), (3, "both"), (5, "empty"), (6, "after"), (8, "no"), (9, "resnet18"), (15, "0.1")],
)
def test_defaults_that_the_plan_does_not_state_are_read_from_the_stages(points, number, taken):
    assert points[number - 1].taken == (taken,)


@pytest.mark.parametrize(
    ("number", "stage", "options", "taken", "others"),
    [
        (1, "fair", {"cluster_space": "encoder"}, ("encoder",), "head, contrastive"),
        (2, "fair", {"lr": {"mode": "constant", "value": 0.01}}, ("constant 0.01",), "tail, restart"),
        (3, "fair", {"views": "first"}, ("first",), "both"),
        (5, "fair", {"queue_on_reinit": "keep"}, ("keep",), "empty"),
        (6, "fair", {"update": "before"}, ("before",), "after"),
        (7, "probe", {"epochs": 1}, ("1",), None),
        (8, "probe", {"augment": True}, ("yes",), "no"),
        (9, "warmup", {"encoder": {"name": "resnet18-imagenet"}}, ("resnet18-imagenet",), None),
        (12, "fair", {"epochs": 15}, ("15",), None),
    ],
)
def test_the_plan_decides_what_is_taken(paper_plan, number, stage, options, taken, others):
    point = changed(paper_plan, stage, **options)[number - 1]
    assert point.taken == taken
    assert others is None or point.others == others
    assert point.switch.startswith(f"{stage}.{next(iter(options))}")


def test_stages_that_differ_are_all_named(paper_plan, points):
    assert points[6].taken == ("10", "2"), "Table 2 has a probe of its own"


def test_an_option_of_an_objective_is_read_where_that_objective_is(paper_plan, points):
    assert points[10].taken == ("0.024",)
    plan = deepcopy(paper_plan)
    for entry in plan.warmup.values():
        if entry["objective"]["name"] == "barlow-twins":
            entry["objective"]["scale"] = 0.1
        if entry["objective"]["name"] == "simclr":
            entry["objective"]["temperature"] = 0.07
    points = build_open_points(plan)
    assert points[10].taken == ("0.1",)
    assert set(points[14].taken) == {"0.1", "0.07"}


def test_what_has_no_switch_is_read_from_code_and_plan(points):
    assert "5 restarts, 25 iterations" in points[3].taken[0]
    assert points[12].taken[0] == "K in 2, 5, 10, 20, 50"
    assert points[13].taken == (
        "official split, all views, 128 px, grey as RGB",
        "100 + 5 epochs",
        "10 epochs of the probe",
    )
    assert points[3].switch == points[9].switch == ""


def test_a_suite_without_such_a_stage_takes_nothing(plan_of):
    points = build_open_points(plan_of("mini"))
    assert points[10].taken == points[11].taken == points[13].taken == ()
    assert points[1].taken == ("constant 0.01", "tail")
