"""How long a run would take without a GPU, measured before it begins."""

import time

import torch

from protofair.core.errors import UserError
from protofair.objectives import EncoderConfig, build_encoder
from protofair.train.progress import duration

LIMIT = 12 * 3600.0  # seconds; a training of the demo or the mini suite takes minutes
SAMPLE = 16 * 64 * 64  # pixels that are measured: at least two images, at most sixteen


def refuse_long_run(encoder: EncoderConfig, *, size: tuple[int, int], images: int, epochs: int) -> None:
    """Raise a `UserError` with the estimate if the training would take longer than `LIMIT` on this CPU."""
    seconds = 2 * images * epochs * seconds_per_view(encoder, size)
    if seconds > LIMIT:
        raise UserError(
            f"no GPU: {epochs} epochs of {images:,} images of {size[1]} x {size[0]} px with {encoder.name}"
            f" would take about {duration(seconds)} on this CPU ({torch.get_num_threads()} threads)."
            " Use a machine with a GPU, or add --on-cpu to do it all the same."
        )


def seconds_per_view(config: EncoderConfig, size: tuple[int, int]) -> float:
    """A forward and a backward pass of one view [3, H, W], in a small batch, after one that is not counted.

    Seconds of the processor shared out to the threads, not of the clock: what else runs just now will not always.
    """
    with torch.random.fork_rng(devices=[]):
        encoder = build_encoder(config.name)
        encoder.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    count = min(max(2, SAMPLE // (size[0] * size[1])), 16)
    views = torch.zeros(count, 3, *size).contiguous(memory_format=torch.channels_last)
    for _ in range(2):
        started = time.process_time()
        encoder(views).sum().backward()
    return (time.process_time() - started) / torch.get_num_threads() / count
