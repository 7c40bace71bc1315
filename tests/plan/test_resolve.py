"""From a suite to the plan: what is shared, what is not, what it is called."""

from pathlib import Path
from typing import Any

import pytest

from protofair.core.strict import parse, read_yaml
from protofair.plan.explain import stages_of
from protofair.plan.narrow import narrow, with_full
from protofair.plan.plan import Plan
from protofair.plan.resolve import resolve
from protofair.plan.suite import Suite

ROOT = Path(__file__).parents[2]
MALE = {"target": "Big_Nose", "sensitive": "Male"}
YOUNG = {"target": "Big_Nose", "sensitive": "Young"}


def suite(rows: list[dict[str, Any]], columns: dict[str, Any] | None = None, **options: Any) -> Suite:
    content = {
        "suite": "small",
        "title": "a suite",
        "scale": "small",
        "data": {"celeba": {"dataset": "celeba", "size": 32}},
        "training": {"epochs": 20},
        "fair": {"epochs": 5, "weight": 0.3, "num_prototypes": 10},
        "tables": {"table1": {"data": "celeba", "columns": columns or {"m": MALE, "y": YOUNG}, "rows": rows}},
    }
    return parse(Suite, content | options, where="test")


SUPCON = {"name": "SupCon", "objective": "supcon"}
FAIR = {"name": "SupCon + ProtoFair", "objective": "supcon", "fair": {}}


def test_a_warm_up_is_shared_by_every_sensitive_attribute_and_every_fair_run():
    plan = resolve(suite([SUPCON, FAIR], controls=False))
    assert list(plan.warmup) == ["supcon-celeba-32-big_nose-s0"]
    assert len(plan.fair) == 2
    assert {entry["warmup"] for entry in plan.fair.values()} == set(plan.warmup)


def test_an_objective_that_sees_the_sensitive_attribute_is_not_shared():
    plan = resolve(suite([{"name": "FSCL", "objective": "fscl"}]))
    assert [entry["objective"]["sensitive"] for entry in plan.warmup.values()] == ["Male", "Young"]


def test_an_objective_without_labels_is_shared_by_targets_and_probed_for_all():
    columns = {"b": MALE, "e": {"target": "Bags_Under_Eyes", "sensitive": "Male"}}
    plan = resolve(suite([{"name": "SimCLR", "objective": "simclr"}], columns))
    assert len(plan.warmup) == 1
    (probe,) = plan.probe.values()
    assert [task["target"] for task in probe["tasks"]] == ["Big_Nose", "Bags_Under_Eyes"]


def test_each_fair_run_brings_a_control_that_differs_only_in_its_weight():
    plan = resolve(suite([FAIR], {"m": MALE}))
    fair, control = plan.fair.values()
    assert control == {**fair, "weight": 0.0}
    (cell,) = plan.report["tables"]["table1"]
    assert cell["runs"].keys() == cell["controls"].keys() == {"0"}
    assert cell["runs"]["0"] != cell["controls"]["0"]


def test_a_control_is_shared_by_every_sensitive_attribute():
    plan = resolve(suite([FAIR]))
    male, young = plan.report["tables"]["table1"]
    assert male["runs"]["0"] != young["runs"]["0"]
    assert male["controls"] == young["controls"]
    assert [task["sensitive"] for task in plan.probe[male["controls"]["0"]]["tasks"]] == ["Male", "Young"]


def test_a_columns_own_options_reach_its_run_and_its_control_alone():
    row = {**FAIR, "columns": {"y": {"from_epoch": 10, "epochs": 10}}}
    plan = resolve(suite([row]))
    by_sensitive = {(entry["sensitive"], entry["weight"]): entry for entry in plan.fair.values()}
    for weight in (0.3, 0.0):
        assert (by_sensitive["Young", weight]["from_epoch"], by_sensitive["Young", weight]["epochs"]) == (10, 10)
        assert (by_sensitive["Male", weight]["from_epoch"], by_sensitive["Male", weight]["epochs"]) == (20, 5)
    (warmup,) = plan.warmup.values()
    assert warmup["keep"] == [10, 20]


def test_seeds_multiply_trainings_and_stand_in_every_cell():
    plan = resolve(suite([SUPCON, FAIR], {"m": MALE}, seeds=[0, 3], controls=False))
    assert sorted(entry["seed"] for entry in plan.warmup.values()) == [0, 3]
    assert all(list(cell["runs"]) == ["0", "3"] for cell in plan.report["tables"]["table1"])


def test_entries_that_would_be_called_the_same_are_told_apart():
    rows = [FAIR, {**FAIR, "name": "other rate", "fair": {"lr": {"mode": "restart"}}}]
    plan = resolve(suite(rows, {"m": MALE}, controls=False))
    assert len(plan.fair) == 2
    assert plan.fair.keys() == plan.probe.keys()


def test_keys_hold_no_character_that_dvc_or_snakemake_would_read_otherwise():
    content = read_yaml(ROOT / "params/paper.yaml")
    plan = resolve(parse(Suite, content, where="paper"))
    for stage in (plan.acquire, plan.prepare, plan.warmup, plan.fair, plan.probe, plan.tsne):
        for key in stage:
            assert key.replace("-", "").replace("_", "").isalnum(), key


def test_the_paper_runs_every_row_of_every_table():
    plan = resolve(parse(Suite, read_yaml(ROOT / "params/paper.yaml"), where="paper"))
    reference = read_yaml(ROOT / "params/reference.yaml")["tables"]
    for name, table in reference.items():
        cells = {(cell["row"], cell["column"]) for cell in plan.report["tables"][name]}
        assert {(row, column) for row in table["rows"] for column in table["columns"]} <= cells
        assert {column for _, column in cells} == set(table["columns"])


def test_the_demo_has_in_full_what_the_paper_has():
    full = with_full(parse(Suite, read_yaml(ROOT / "params/demo.yaml"), where="demo"))
    demo, paper = resolve(full), resolve(parse(Suite, read_yaml(ROOT / "params/paper.yaml"), where="paper"))
    for name, cells in paper.report["tables"].items():
        wanted = {(cell["row"], cell["column"]) for cell in cells}
        assert {(cell["row"], cell["column"]) for cell in demo.report["tables"][name]} == wanted
        assert chosen(demo, name) == chosen(paper, name)


def chosen(plan: Plan, table: str) -> set[str]:
    """The rows of a table whose weight is left to validation."""
    stages = {key: probe["checkpoint"]["stage"] for key, probe in plan.probe.items()}
    return {
        cell["row"]
        for cell in plan.report["tables"][table]
        if "select" in {stages[key] for key in cell["runs"].values()}
    }


def test_a_teacher_has_as_many_classes_as_its_student():
    rows = [{"name": "MFD", "objective": "mfd", "options": {"num_classes": 5}}]
    plan = resolve(suite(rows, columns={"m": MALE}))
    assert [entry["objective"]["num_classes"] for entry in plan.warmup.values()] == [5]


def test_a_full_row_takes_the_place_of_its_namesake_or_stands_behind():
    rows = [{**SUPCON, "only": ["m"]}, FAIR]
    full = with_full(suite(rows, full={"table1": [SUPCON, {"name": "CE", "objective": "ce"}]}))
    assert [row.name for row in full.tables["table1"].rows] == ["SupCon", "SupCon + ProtoFair", "CE"]
    assert full.tables["table1"].rows[0].only == []


def test_a_row_has_only_the_columns_it_asks_for():
    plan = resolve(suite([{**SUPCON, "only": ["y"]}, {"name": "CE", "objective": "ce"}]))
    cells = [(cell["row"], cell["column"]) for cell in plan.report["tables"]["table1"]]
    assert cells == [("SupCon", "y"), ("CE", "m"), ("CE", "y")]


def test_what_protofair_adds_to_is_trained_as_it_is():
    """A row with ProtoFair continues the very training of the row it is compared with."""
    for name in ("paper", "demo"):
        plan = resolve(with_full(parse(Suite, read_yaml(ROOT / f"params/{name}.yaml"), where=name)))
        for cells in plan.report["tables"].values():
            trained = {(cell["row"], cell["column"]): plan.probe[cell["runs"]["0"]]["checkpoint"] for cell in cells}
            for (row, column), checkpoint in trained.items():
                base = row.partition(" + ProtoFair")[0]
                if base != row:
                    assert plan.fair[checkpoint["key"]]["warmup"] == trained[base, column]["key"], row


def test_an_adversary_makes_a_training_of_its_own_for_each_sensitive_attribute_and_a_fair_phase_continues_it():
    row = {"name": "SimCLR + GRL + ProtoFair", "objective": "simclr", "adversary": {"weight": 2}, "fair": {}}
    plan = resolve(suite([{"name": "SimCLR", "objective": "simclr"}, row], controls=False))
    plain, *opposed = plan.warmup.values()
    assert "adversary" not in plain
    assert [entry["adversary"] for entry in opposed] == [{"sensitive": s, "weight": 2} for s in ("Male", "Young")]
    for fair in plan.fair.values():
        assert plan.warmup[fair["warmup"]]["adversary"]["sensitive"] == fair["sensitive"]


def test_the_ablation_varies_one_option_and_shares_what_a_table_has():
    ablation = {"data": "celeba", "columns": {"m": MALE}, "row": FAIR, "vary": {"weight": [0, 0.3, 1.0]}}
    plan = resolve(suite([FAIR], {"m": MALE}, ablation=ablation))
    assert sorted(entry["weight"] for entry in plan.fair.values()) == [0, 0.3, 1.0]
    (cell,) = plan.report["tables"]["table1"]
    by_value = {point["value"]: point["runs"]["0"] for point in plan.report["ablation"]}
    assert by_value[0.3] == cell["runs"]["0"]
    assert by_value[0] == cell["controls"]["0"]


@pytest.mark.parametrize("name", ["paper", "mini", "demo", "methods"])
def test_resolving_twice_gives_the_same_text(name: str):
    content = read_yaml(ROOT / f"params/{name}.yaml")
    texts = {resolve(parse(Suite, content, where=name)).text() for _ in range(2)}
    assert len(texts) == 1


def test_mfd_learns_from_the_ce_run_of_its_data_target_and_seed_which_is_trained_once():
    rows = [{"name": "MFD", "objective": "mfd", "options": {"weight": 3}}, {"name": "CE", "objective": "ce"}]
    plan = resolve(suite(rows, seeds=[0, 1]))
    assert list(plan.warmup) == ["ce-celeba-32-big_nose-s0", "ce-celeba-32-big_nose-s1"]
    assert len(plan.baseline) == 4, "for each sensitive attribute and seed"
    for entry in plan.baseline.values():
        teacher = plan.warmup[entry["teacher"]]
        assert (teacher["data"], teacher["seed"]) == (entry["data"], entry["seed"])
        assert teacher["objective"] == {"name": "ce", "target": entry["method"]["target"]}
        assert entry["needs"] == f"results/small/warmup/{entry['teacher']}/checkpoints"
        assert entry["method"]["weight"] == 3


def test_a_method_brings_its_own_training_and_the_suite_has_the_last_word():
    row = {"name": "FD-VAE", "objective": "fd-vae"}
    special = {"fd-vae": {"training": {"encoder": {"name": "fd-vae-small"}}}}
    (entry,) = resolve(suite([row], {"m": MALE}, objectives=special)).baseline.values()
    assert entry["optimiser"] == {"lr": 1e-4, "batch_size": 64, "ramp_epochs": 0}
    assert entry["encoder"] == {"name": "fd-vae-small"}
    assert entry["epochs"] == 20
    assert "teacher" not in entry


def test_a_weight_that_is_left_to_validation_is_chosen_by_a_stage_from_three_measured_trainings():
    row = {"name": "GRL", "objective": "ce", "adversary": {"weight": [0.1, 1, 10]}}
    plan = resolve(suite([row], {"m": MALE}))
    ((key, entry),) = plan.select.items()
    assert key == "ce-grl-celeba-32-big_nose-male-s0"
    assert (entry["target"], entry["sensitive"]) == ("Big_Nose", "Male")
    assert [candidate["weight"] for candidate in entry["candidates"]] == [0.1, 1, 10]
    for candidate in entry["candidates"]:
        assert plan.warmup[candidate["checkpoint"]["key"]]["adversary"]["weight"] == candidate["weight"]
        assert plan.probe[candidate["probe"]]["checkpoint"] == candidate["checkpoint"]
    (cell,) = plan.report["tables"]["table1"]
    assert plan.probe[cell["runs"]["0"]]["checkpoint"] == {"stage": "select", "key": key, "epoch": 20}
    names = stages_of(plan, "probe", cell["runs"]["0"])
    assert names[-2:] == [f"select@{key}", f"probe@{key}"]
    assert {f"probe@{candidate['probe']}" for candidate in entry["candidates"]} < set(names)


def test_the_weight_is_chosen_for_the_target_too():
    columns = {"b": MALE, "e": {"target": "Bags_Under_Eyes", "sensitive": "Male"}}
    row = {"name": "SimCLR + GRL", "objective": "simclr", "adversary": {"weight": [0.1, 1, 10]}}
    plan = resolve(suite([row], columns))
    assert len(plan.warmup) == 3, "the trainings know no target"
    assert [entry["target"] for entry in plan.select.values()] == ["Big_Nose", "Bags_Under_Eyes"]


def test_a_column_may_have_seeds_of_its_own():
    plan = resolve(suite([SUPCON], {"m": MALE | {"seeds": [0, 3]}, "y": YOUNG}))
    male, young = plan.report["tables"]["table1"]
    assert [list(cell["runs"]) for cell in (male, young)] == [["0", "3"], ["0"]]
    assert plan.report["seeds"] == [0, 3]


def test_seeds_that_are_asked_for_hold_in_every_column():
    asked = narrow(suite([SUPCON], {"m": MALE | {"seeds": [0, 3]}, "y": YOUNG}), seeds=[7], only=None)
    assert {entry["seed"] for entry in resolve(asked).probe.values()} == {7}
    assert asked.tables["table1"].rows == suite([SUPCON]).tables["table1"].rows


def test_the_precision_reaches_every_training_and_is_left_out_where_none_is_given():
    rows = [SUPCON, {"name": "LNL", "objective": "lnl"}]
    plan = resolve(suite(rows, training={"epochs": 20, "precision": "bfloat16"}))
    assert {entry["precision"] for entry in (*plan.warmup.values(), *plan.baseline.values())} == {"bfloat16"}
    assert not any("precision" in entry for entry in resolve(suite(rows)).warmup.values())
