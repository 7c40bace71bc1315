import pytest

from protofair.core.errors import UserError
from protofair.probe.config import ProbeConfig


def test_the_defaults_are_the_papers_probe(entry, write_plan):
    del entry["epochs"], entry["bootstrap"]
    config = write_plan(probe={"a": entry}).entry("probe", "a", ProbeConfig)
    assert (config.epochs, config.batch_size, config.lr, config.momentum) == (10, 128, 0.1, 0.9)
    assert (config.augment, config.bootstrap, config.seed) == (False, 1000, 0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epoch": 3}, r"plan.yaml: probe.a: unknown key 'epoch'. Did you mean 'epochs'\?"),
        ({"epochs": 0}, "probe.a: 'epochs': .*greater than or equal to 1"),
        ({"lr": -1}, "probe.a: 'lr'"),
        ({"tasks": []}, "probe.a: 'tasks'"),
        ({"tasks": [{"target": "Male", "sensitive": "Male"}]}, "target and sensitive attribute must differ"),
        ({"checkpoint": {"stage": "warm", "key": "k", "epoch": 1}}, "'checkpoint.stage'"),
        ({"schedule": "step"}, "'schedule'"),
    ],
)
def test_a_wrong_entry_names_file_key_and_remedy(entry, write_plan, changes, message):
    plan = write_plan(probe={"a": entry | changes})
    with pytest.raises(UserError, match=message) as caught:
        plan.entry("probe", "a", ProbeConfig)
    assert len(str(caught.value).splitlines()) == 1
