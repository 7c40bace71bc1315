import math

import pytest

from protofair.train.config import Warmup
from protofair.train.watch import start_loss, stuck

START = 0.1 / 0.07 * math.log(255)  # SupCon's scale times log(2B - 1) for B = 128


def warmup(objective: dict | None = None, **optimiser) -> Warmup:
    return Warmup.model_validate({
        "data": "d", "objective": objective or {"name": "supcon", "target": "y"}, "optimiser": optimiser
    })  # fmt: skip


def warnings(losses: list[float], **optimiser) -> list[int]:
    """The epochs that warn."""
    records = [{"epoch": epoch, "base": loss} for epoch, loss in enumerate(losses, 1)]
    return [epoch for epoch in range(1, len(losses) + 1) if stuck(warmup(**optimiser), records[:epoch])]


def test_start_loss():
    assert start_loss(warmup()) == pytest.approx(START)
    assert start_loss(warmup({"name": "simclr", "temperature": 0.07})) == pytest.approx(math.log(255))
    assert start_loss(warmup({"name": "byol"})) is None


def test_a_loss_that_stays_is_warned_of_once():
    assert warnings([START, START, START, START]) == [2]
    assert warnings([START * 1.001, START * 0.999, START]) == [2]


def test_a_loss_that_leaves_is_not():
    assert warnings([START, START * 0.98, START * 0.95]) == []


def test_a_loss_that_comes_back_is_warned_of_again():
    assert warnings([START * 0.9, START, START, START, START * 0.9, START, START]) == [3, 7]


def test_epochs_of_the_ramp_do_not_count():
    assert warnings([START] * 5, ramp_epochs=2) == [4]


def test_the_warning_says_what_to_do():
    records = [{"epoch": 1, "base": START}, {"epoch": 2, "base": START}]
    text = stuck(warmup(), records)
    assert "has not left its start, 7.916" in text
    assert "'optimiser.lr'" in text
    assert "'optimiser.ramp_epochs'" in text


def test_the_start_is_what_supcon_gives_for_equal_features():
    import torch

    from protofair.objectives.supcon import supcon_loss

    z = torch.nn.functional.normalize(torch.ones(256, 8), dim=1)
    loss = supcon_loss(z, target=torch.arange(256) % 2, temperature=0.1)
    assert loss.item() == pytest.approx(START, rel=1e-5)
