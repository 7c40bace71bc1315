import math

import torch

from protofair.train.history import History


def filled(*losses: float) -> History:
    history = History()
    for loss in losses:
        history.add({"loss": torch.tensor(loss), "pairs": torch.tensor(3)})
    return history


def test_means():
    assert filled(1.0, 2.0, 6.0).means() == {"loss": 3.0, "pairs": 3.0}


def test_the_first_bad_step_is_named_however_often_one_looks():
    history = filled(1.0, 2.0)
    assert history.first_bad() is None
    for loss in (3.0, math.inf, math.nan):
        history.add({"loss": torch.tensor(loss), "pairs": torch.tensor(4)})
    assert history.first_bad() == (3, {"loss": math.inf, "pairs": 4.0})
    assert history.first_bad() == (3, {"loss": math.inf, "pairs": 4.0})


def test_a_bad_count_is_bad_too():
    history = History()
    history.add({"loss": torch.tensor(1.0), "fair": torch.tensor(math.nan)})
    assert history.first_bad() is not None


def test_an_empty_one_is_good_and_a_restored_one_goes_on():
    assert History().first_bad() is None
    restored = History()
    restored.load_state(filled(1.0, 2.0).state())
    restored.add({"loss": torch.tensor(6.0), "pairs": torch.tensor(3)})
    assert restored.means() == filled(1.0, 2.0, 6.0).means()
    restored.load_state(History().state())
    restored.add({"loss": torch.tensor(6.0), "pairs": torch.tensor(3)})
    assert restored.means() == {"loss": 6.0, "pairs": 3.0}
