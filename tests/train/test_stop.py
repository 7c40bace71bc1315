import os
import signal

import pytest

from protofair.train.stop import Stop, StopRequest


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_waits_for_a_place_to_stop(number, code):
    with Stop() as stop:
        stop.here()
        os.kill(os.getpid(), number)
        with pytest.raises(StopRequest, match=signal.Signals(number).name) as caught:
            stop.here()
    assert caught.value.exit_code == code


@pytest.fixture
def _interruptible():
    """A shell starts what it puts into the background with SIGINT ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_interruptible")
def test_a_second_signal_acts_as_ever():
    with Stop():
        os.kill(os.getpid(), signal.SIGTERM)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)


def test_handlers_are_put_back():
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
    with Stop():
        assert signal.getsignal(signal.SIGTERM) != before[0]
    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)] == before
