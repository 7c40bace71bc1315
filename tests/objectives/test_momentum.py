import torch
from torch import nn

from protofair.objectives.momentum import follow, follower


def network():
    return nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))


def test_a_follower_starts_equal_is_its_own_and_is_not_trained():
    original = network()
    copied = follower(original)
    assert all(torch.equal(a, b) for a, b in zip(original.parameters(), copied.parameters(), strict=True))
    assert not any(parameter.requires_grad for parameter in copied.parameters())
    assert all(parameter.requires_grad for parameter in original.parameters())
    with torch.no_grad():
        original[0].weight += 1
    assert not torch.equal(original[0].weight, copied[0].weight)


def test_parameters_are_averaged_and_buffers_copied():
    original = network()
    copied = follower(original)
    with torch.no_grad():
        original[0].weight += 1
    original(torch.randn(5, 3))  # moves the running statistics and the counter
    before = copied[0].weight.clone()
    follow(copied, original, momentum=0.9)
    torch.testing.assert_close(copied[0].weight, 0.9 * before + 0.1 * original[0].weight.detach())
    assert copied[1].num_batches_tracked == 1
    assert all(torch.equal(a, b) for a, b in zip(original.buffers(), copied.buffers(), strict=True))


def test_momentum_one_keeps_and_zero_copies():
    original, other = network(), network()
    copied = follower(original)
    follow(copied, other, momentum=1.0)
    assert torch.equal(copied[0].weight, original[0].weight)
    follow(copied, other, momentum=0.0)
    assert torch.equal(copied[0].weight, other[0].weight)
