import io
import sys

import pytest

import protofair.train.progress as progress
from protofair.train.progress import Progress, duration


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


RECORD = {"epoch": 11, "loss": 6.5, "base": 5.0, "fair": 5.0, "lr": 0.001, "images_per_second": 1234.5}


def test_a_log_file_gets_a_line_an_epoch_with_the_time_left(clock, capsys):
    shown = Progress("fair x", per_epoch=100, epochs=range(11, 16))
    shown.start(epoch=11, images=0)
    clock[0] = 60.0
    shown.advance(100, epoch=11)
    shown.epoch(RECORD)
    assert capsys.readouterr().err == (
        "fair x: epoch 11/15  loss 6.5000  base 5.0000  fair 5.0000  lr 0.001  1,234 img/s  4.0 min left\n"
    )


def test_a_long_epoch_says_something_every_minute(clock, capsys):
    shown = Progress("w", per_epoch=100, epochs=range(1, 3))
    shown.start(epoch=1, images=0)
    for moment in range(10, 200, 10):
        clock[0] = float(moment)
        shown.advance(1, epoch=1)
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "w: epoch 1/2 at 7%  0 img/s  32 min left",
        "w: epoch 1/2 at 14%  0 img/s  31 min left",
    ]


def test_the_time_left_of_a_resumed_run_counts_only_what_is_left(clock, capsys):
    shown = Progress("w", per_epoch=100, epochs=range(1, 11))
    shown.start(epoch=10, images=50)
    clock[0] = 10.0
    shown.advance(10, epoch=10)
    assert shown.left() == "40 s"


def test_a_terminal_gets_a_bar_with_speed_and_time_left(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    shown = Progress("w", per_epoch=100, epochs=range(1, 3))
    shown.start(epoch=1, images=50)
    shown.advance(100, epoch=2)
    shown.epoch(RECORD)
    shown.close()
    text = terminal.getvalue()
    assert "img/s" in text
    assert "150/200" in text
    assert "epoch 11/2" in text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(5, "5 s"), (89, "89 s"), (120, "2.0 min"), (3000, "50 min"), (7200, "2.0 hours"), (9e6, "104 days")],
)
def test_durations_are_in_the_unit_a_person_would_choose(seconds, text):
    assert duration(seconds) == text
