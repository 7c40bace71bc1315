import pytest
import torch

from protofair.train.networks import Networks


@pytest.mark.parametrize(
    ("objective", "roles"),
    [
        ({"name": "simclr"}, {}),
        ({"name": "ce", "target": "Smiling"}, {"target": "Smiling"}),
        ({"name": "fscl-star", "sensitive": "Male"}, {"sensitive": "Male"}),
        ({"name": "fscl", "target": "Smiling", "sensitive": "Male"}, {"target": "Smiling", "sensitive": "Male"}),
    ],
)
def test_the_objective_gets_the_labels_of_the_attributes_it_names(project, objective, roles):
    networks, given = Networks(project.warmup_config(objective=objective)), {}
    networks.objective.register_forward_pre_hook(lambda module, inputs, words: given.update(words), with_kwargs=True)
    labels = {"Smiling": torch.tensor([0, 1, 0, 1]), "Male": torch.tensor([0, 0, 1, 1])}
    networks(torch.zeros(2, 4, 3, 8, 8).unbind(), labels)
    assert given.keys() == {"target", "sensitive"}
    for role, label in given.items():
        assert label is (labels[roles[role]] if role in roles else None)
