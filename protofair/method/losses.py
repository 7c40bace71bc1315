"""The two contrastive terms over pseudo-counterfactual pairs; L_CF of Eq. 9 is their sum."""

import torch
from torch import Tensor


def within_batch_loss(z: Tensor, *, positives: Tensor, temperature: float) -> Tensor:
    """Eq. 6: L_within. z [n, d] of unit length, positives bool [n, n] -> []. Denominator: all but oneself."""
    others = ~torch.eye(len(z), dtype=torch.bool, device=z.device)
    return _contrast(z @ z.T / temperature, positives=positives, candidates=others)


def cross_batch_loss(z: Tensor, *, queue: Tensor, positives: Tensor, filled: Tensor, temperature: float) -> Tensor:
    """Eq. 8: L_cross. z [n, d], queue [Q, d], positives bool [n, Q], filled bool [Q] -> []. Denominator: the queue."""
    return _contrast(z @ queue.T / temperature, positives=positives, candidates=filled.expand_as(positives))


def _contrast(logits: Tensor, *, positives: Tensor, candidates: Tensor) -> Tensor:
    """Mean over the anchors with a positive of: mean over positives of -log softmax over candidates. All [n, m] -> [].

    Neither slices nor branches on the data, so nothing waits for the device. Without a positive anywhere the result is
    0 with a graph of zero gradients; that is why absent candidates get the lowest finite number and not -inf, which
    would make the gradient of an empty row NaN.
    """
    lowest = torch.finfo(logits.dtype).min
    log_denominator = logits.masked_fill(~candidates, lowest).logsumexp(dim=1)
    counts = positives.sum(dim=1)
    mean_positive = (logits * positives).sum(dim=1) / counts.clamp(min=1)
    valid = counts > 0
    return ((log_denominator - mean_positive) * valid).sum() / valid.sum().clamp(min=1)
