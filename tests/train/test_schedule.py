import math

import pytest

from protofair.train.config import Fair, Warmup
from protofair.train.schedule import cosine, fair_schedule, warmup_schedule


def warmup(epochs: int = 100, **optimiser) -> Warmup:
    return Warmup(data="d", objective={"name": "simclr"}, epochs=epochs, optimiser=optimiser)


def fair(from_epoch: int, epochs: int, **lr) -> Fair:
    return Fair(warmup="w", sensitive="Male", from_epoch=from_epoch, epochs=epochs, lr=lr)


def test_cosine_by_hand():
    # lr 0.1, eta 1e-4: halfway (0.1 + 1e-4) / 2, at the end eta
    assert cosine(50, horizon=100, lr=0.1) == pytest.approx(0.05005)
    assert cosine(100, horizon=100, lr=0.1) == pytest.approx(1e-4)
    assert cosine(1, horizon=100, lr=0.1) == pytest.approx(1e-4 + 0.0999 * (1 + math.cos(math.pi / 100)) / 2)


def test_tail_of_10_and_90_is_the_plain_cosine_of_100_epochs():
    plain = warmup_schedule(warmup(100))
    tail = fair_schedule(fair(10, 90, mode="tail"), warmup(100))
    assert [tail.rate(epoch) for epoch in range(11, 101)] == [plain.rate(epoch) for epoch in range(11, 101)]


def test_tail_of_100_and_5_goes_from_about_5e_4_to_1e_4():
    rates = [fair_schedule(fair(100, 5, mode="tail"), warmup(100)).rate(epoch) for epoch in range(101, 106)]
    assert rates[0] == pytest.approx(4.57e-4, rel=0.01)
    assert rates[-1] == pytest.approx(1e-4)
    assert rates == sorted(rates, reverse=True)


def test_restart_is_the_cosine_of_the_fair_epochs():
    rates = [fair_schedule(fair(100, 5, mode="restart"), warmup(100)).rate(epoch) for epoch in range(101, 106)]
    assert rates == [cosine(epoch, horizon=5, lr=0.1) for epoch in range(1, 6)]


def test_constant_stays():
    schedule = fair_schedule(fair(100, 5, mode="constant", value=0.01), warmup(100, ramp_epochs=3))
    assert {schedule.rate(epoch, done=done) for epoch in range(101, 106) for done in (0.1, 1.0)} == {0.01}


def test_ramp_rises_step_by_step_to_the_cosine_and_is_gone_after_it():
    ramped, plain = warmup_schedule(warmup(30, ramp_epochs=2)), warmup_schedule(warmup(30))
    assert ramped.rate(1, done=0.25) == pytest.approx(plain.rate(1) / 8)
    assert ramped.rate(2, done=0.5) == pytest.approx(plain.rate(2) * 0.75)
    assert ramped.rate(2, done=1.0) == plain.rate(2)
    assert ramped.rate(3, done=0.1) == plain.rate(3)


def test_restart_does_not_ramp_again():
    schedule = fair_schedule(fair(30, 5, mode="restart"), warmup(30, ramp_epochs=2))
    assert schedule.rate(31, done=0.1) == cosine(1, horizon=5, lr=0.1)
