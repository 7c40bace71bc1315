from torch import nn

from protofair.baselines.method import sgd
from protofair.train.config import Optimiser


def test_sgd_takes_every_option_and_holds_the_parts_it_is_given():
    first, second = nn.Linear(2, 3), nn.Linear(3, 1)
    optimiser = sgd([first, second], Optimiser(lr=0.5, momentum=0.7, weight_decay=0.01))
    (group,) = optimiser.param_groups
    assert (group["lr"], group["momentum"], group["weight_decay"], group["nesterov"]) == (0.5, 0.7, 0.01, False)
    assert list(map(id, group["params"])) == list(map(id, [*first.parameters(), *second.parameters()]))
