from pathlib import Path

import pytest

from protofair.core.entries import Plan
from protofair.core.errors import UserError
from protofair.probe.config import ProbeConfig
from protofair.probe.differences import differences as found

TRAINED = {
    "stage": "fair",
    "warmup": {
        "data": "tiny",
        "epochs": 100,
        "optimiser": {"lr": 0.1, "weight_decay": 0.0001},
        "keep": [100],
        "seed": 0,
    },
    "fair": {"warmup": "base", "weight": 0.3, "lr": {"mode": "tail", "value": None}, "num_prototypes": 10},
    "set": {"warmup": {"data": "tiny", "keep": [100]}, "fair": {"warmup": "base"}},
}


def plan(**stages):
    return Plan(Path("plan.yaml"), "demo", stages)


def differences(warmup, fair=None):
    entries = {"warmup": {"base": warmup}, "fair": {"f": fair}}
    stage, key = ("fair", "f") if fair is not None else ("warmup", "base")
    return sorted(found(plan(**entries), stage, key, TRAINED))


def test_an_unknown_entry_suggests_the_nearest(entry, write_plan):
    written = write_plan(probe={"supcon-male": entry})
    with pytest.raises(UserError, match=r"plan.yaml: probe: no entry 'supcon-mael'. Did you mean 'supcon-male'\?"):
        written.entry("probe", "supcon-mael", ProbeConfig)


@pytest.mark.parametrize("content", ["[]", "", "probe: {}"])
def test_a_file_that_is_no_plan_is_refused(tmp_path, content):
    path = tmp_path / "plan.yaml"
    path.write_text(content)
    with pytest.raises(UserError, match=r"plan.yaml: 'suite' is missing"):
        Plan.read(path)


def test_what_the_plan_leaves_to_defaults_and_which_epochs_stay_is_no_difference():
    assert differences({"data": "tiny", "optimiser": {"lr": 0.1}, "keep": [10, 100]}) == []
    assert differences({"data": "tiny"}, {"warmup": "base", "weight": 0.3, "lr": {"mode": "tail"}}) == []


def test_numbers_are_compared_as_numbers():
    assert differences({"data": "tiny", "epochs": 100.0, "optimiser": {"weight_decay": "1e-4"}}) == []


def test_numbers_in_a_list_too():
    trained = {"warmup": {"augment": {"crop_scale": [0.7, 1.0]}}}
    written = plan(warmup={"base": {"augment": {"crop_scale": ["7e-1", 1]}}})
    assert list(found(written, "warmup", "base", trained)) == []
    written = plan(warmup={"base": {"augment": {"crop_scale": [0.7]}}})
    assert len(list(found(written, "warmup", "base", trained))) == 1


def test_every_difference_is_named_with_its_place():
    assert differences({"data": "tiny", "epochs": 50, "optimiser": {"lr": 0.05}, "augment": {"flip": 0}}) == [
        "'warmup.augment' is None, the plan says {'flip': 0}",
        "'warmup.epochs' is 100, the plan says 50",
        "'warmup.optimiser.lr' is 0.1, the plan says 0.05",
    ]


def test_a_fair_run_is_compared_with_its_warm_up_too():
    assert differences({"data": "tiny", "seed": 1}, {"warmup": "base", "weight": 0.5}) == [
        "'fair.weight' is 0.3, the plan says 0.5",
        "'warmup.seed' is 0, the plan says 1",
    ]


def test_what_a_training_has_set_and_the_plan_has_ceased_to_say_is_a_difference():
    changed = {**TRAINED, "set": {"warmup": {"data": "tiny", "seed": 3, "optimiser": {"lr": 0.1, "momentum": 0.5}}}}
    written = plan(warmup={"base": {"data": "tiny", "optimiser": {"lr": 0.1}}})
    assert sorted(found(written, "warmup", "base", changed)) == [
        "'warmup.optimiser.momentum' is 0.5, the plan leaves it at its default",
        "'warmup.seed' is 3, the plan leaves it at its default",
    ]


def test_a_training_that_is_not_in_the_plan_has_nothing_to_differ_from():
    assert list(found(plan(), "warmup", "by-hand", TRAINED)) == []
