"""Stop on SIGTERM or Ctrl-C where nothing is lost, instead of anywhere."""

import signal
from types import FrameType
from typing import Any

SIGNALS = (signal.SIGTERM, signal.SIGINT)


class StopRequest(Exception):  # noqa: N818 - not an error
    """A signal asked the run to stop, and it has come to a place where it can."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.exit_code = 128 + number


class Stop:
    """While entered, notes the first signal; a second one acts as it would without this."""

    def __init__(self) -> None:
        self._received: int | None = None
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> "Stop":
        self._handlers = {number: signal.signal(number, self._note) for number in SIGNALS}
        return self

    def __exit__(self, *exception: object) -> None:
        self._restore()

    def here(self) -> None:
        """Called where the state is whole: raises `StopRequest` if a signal has come."""
        if self._received is not None:
            raise StopRequest(self._received)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._received = number
        self._restore()

    def _restore(self) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
