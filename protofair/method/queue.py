"""The FIFO queue of past samples."""

import torch
from torch import Tensor, nn


class Queue(nn.Module):
    """The last `size` samples as detached tuples (z, cluster, sensitive), in a ring.

    features [Q, d], clusters int64 [Q], sensitive int64 [Q]; fill int64 []: places taken; position int64 []: the next
    to be written. All of them are buffers, so the queue is saved, loaded and moved with its owner.
    """

    features: Tensor
    clusters: Tensor
    sensitive: Tensor
    fill: Tensor
    position: Tensor

    def __init__(self, size: int, dim: int) -> None:
        super().__init__()
        self.register_buffer("features", torch.zeros(size, dim))
        self.register_buffer("clusters", torch.zeros(size, dtype=torch.int64))
        self.register_buffer("sensitive", torch.zeros(size, dtype=torch.int64))
        self.register_buffer("fill", torch.zeros((), dtype=torch.int64))
        self.register_buffer("position", torch.zeros((), dtype=torch.int64))

    def __len__(self) -> int:
        """Its capacity Q; how much of it is taken only the device knows."""
        return len(self.features)

    def filled(self) -> Tensor:
        """The taken places, bool [Q]. A ring that is not yet full is taken from its start."""
        return torch.arange(len(self), device=self.fill.device) < self.fill

    @torch.no_grad()
    def enqueue(self, features: Tensor, clusters: Tensor, sensitive: Tensor) -> None:
        """Let a batch in, [n, d], [n], [n], and as many of the oldest out; of more than Q samples, the last Q stay."""
        taken = min(len(features), len(self))
        places = (self.position + torch.arange(taken, device=self.position.device)) % len(self)
        finite = features[-taken:].to(self.features.dtype).nan_to_num(0, 0, 0)  # NaN would spoil the next losses too
        self.features.index_copy_(0, places, finite)
        self.clusters.index_copy_(0, places, clusters[-taken:])
        self.sensitive.index_copy_(0, places, sensitive[-taken:])
        self.fill.add_(taken).clamp_(max=len(self))
        self.position.add_(taken).remainder_(len(self))

    def clear(self) -> None:
        for buffer in self.buffers():
            buffer.zero_()
