"""What a person sees of a run: a bar on a terminal, plain lines in a log file."""

import sys
import time
from typing import Any

from tqdm import tqdm

LINE_EVERY = 60.0  # seconds between two lines within an epoch, where there is no bar


class Progress:
    """Counts images over the whole run, of `per_epoch` images an epoch."""

    def __init__(self, name: str, *, per_epoch: int, epochs: range) -> None:
        self.name, self.per_epoch, self.epochs = name, per_epoch, epochs
        self._total = per_epoch * len(epochs)
        self._bar: tqdm | None = None
        self._done = self._counted = 0
        self._started = self._spoke = time.monotonic()

    def start(self, *, epoch: int, images: int) -> None:
        """Begin at an epoch of which some images have been seen already."""
        self._done = (epoch - self.epochs[0]) * self.per_epoch + images
        self._started = self._spoke = time.monotonic()
        if sys.stderr.isatty():
            self._bar = tqdm(total=self._total, initial=self._done, unit=" img", unit_scale=True, dynamic_ncols=True)

    def advance(self, images: int, *, epoch: int) -> None:
        self._done += images
        self._counted += images
        if self._bar is not None:
            self._bar.set_description(f"epoch {epoch}/{self.epochs[-1]}", refresh=False)
            self._bar.update(images)
        elif time.monotonic() - self._spoke > LINE_EVERY and self._done % self.per_epoch:
            share = self._done % self.per_epoch / self.per_epoch
            self.line(f"epoch {epoch}/{self.epochs[-1]} at {share:.0%}  {self.rate():,.0f} img/s  {self.left()} left")

    def rate(self) -> float:
        """Images a second since the start of this process."""
        return self._counted / max(time.monotonic() - self._started, 1e-9)

    def left(self) -> str:
        return duration((self._total - self._done) / self.rate()) if self._counted else "?"

    def epoch(self, record: dict[str, Any]) -> None:
        """A line for an epoch that has ended."""
        losses = "  ".join(f"{name} {record[name]:.4f}" for name in ("loss", "base", "fair") if name in record)
        rest = f"lr {record['lr']:.2g}  {record['images_per_second']:,.0f} img/s  {self.left()} left"
        self.line(f"epoch {record['epoch']}/{self.epochs[-1]}  {losses}  {rest}")

    def line(self, text: str) -> None:
        self._spoke = time.monotonic()
        if self._bar is None:
            print(f"{self.name}: {text}", file=sys.stderr, flush=True)
        else:
            self._bar.write(text, file=sys.stderr)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def duration(seconds: float) -> str:
    """A length of time in the unit a person would choose."""
    for unit, length in (("days", 86400), ("hours", 3600), ("min", 60)):
        if seconds >= 1.5 * length:
            return f"{seconds / length:,.0f} {unit}" if seconds >= 10 * length else f"{seconds / length:.1f} {unit}"
    return f"{seconds:.0f} s"
