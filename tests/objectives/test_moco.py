import math

import pytest
import torch
import torch.nn.functional as F
from lightly.loss import NTXentLoss

from protofair.objectives.moco import MoCo, MoCoConfig, moco_loss


def unit(*shape, seed=0):
    return F.normalize(torch.randn(*shape, generator=torch.Generator().manual_seed(seed)), dim=1)


def build(encoder, queue_size):
    return MoCo(encoder, config=MoCoConfig(queue_size=queue_size))


def test_by_hand(at_angles):
    # Own key at 60 degrees (1/2), queue at 90 (0) and 180 (-1), tau 1/2.
    loss = moco_loss(at_angles(0), at_angles(60), at_angles(90, 180), temperature=0.5)
    assert loss.item() == pytest.approx(math.log(math.e + 1 + math.exp(-2)) - 1, rel=1e-6)


def test_against_loops():
    query, key, queue = unit(4, 6, seed=1), unit(4, 6, seed=2), unit(7, 6, seed=3)
    expected = 0.0
    for i in range(4):
        own = math.exp(float(query[i] @ key[i]) / 0.2)
        expected -= math.log(own / (own + sum(math.exp(float(query[i] @ queue[k]) / 0.2) for k in range(7)))) / 4
    assert moco_loss(query, key, queue, temperature=0.2).item() == pytest.approx(expected, rel=1e-5)


def test_against_lightly():
    query, key, queue = unit(4, 6, seed=1).requires_grad_(), unit(4, 6, seed=2), unit(8, 6, seed=3)
    oracle = NTXentLoss(temperature=0.2, memory_bank_size=(8, 6))
    oracle.memory_bank.bank = queue.clone()
    torch.testing.assert_close(moco_loss(query, key, queue, temperature=0.2), oracle(query, key))


def test_autocast_changes_nothing():
    query, key, queue = unit(4, 6, seed=1), unit(4, 6, seed=2), unit(7, 6, seed=3)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        under = moco_loss(query, key, queue, temperature=0.2)
    assert torch.equal(under, moco_loss(query, key, queue, temperature=0.2))


def test_query_is_the_first_view_and_key_the_slow_second(encoder, views):
    objective = build(encoder, 32)
    with torch.no_grad():
        objective.key_head[0].weight += 0.5  # so that keys differ from the trained network's output
    queue = objective.queue.clone()
    output = objective(encoder, views)
    query = F.normalize(objective.head(encoder(views[0])), dim=1)
    key = F.normalize(objective.key_head(objective.key_encoder(views[1])), dim=1)
    torch.testing.assert_close(output.loss, moco_loss(query, key, queue, temperature=0.2))
    torch.testing.assert_close(objective.queue[:12], key)
    assert torch.equal(objective.queue[12:], queue[12:])


def test_queue_starts_as_unit_vectors_from_the_global_seed(encoder):
    torch.manual_seed(3)
    first = build(encoder, 20).queue
    torch.manual_seed(3)
    again = build(encoder, 20).queue
    assert torch.equal(first, again)
    torch.testing.assert_close(first.norm(dim=1), torch.ones(20))
    assert not torch.equal(first, build(encoder, 20).queue)


def test_queue_overwrites_the_oldest_and_wraps(encoder):
    objective = build(encoder, 5)
    start = objective.queue.clone()
    keys = unit(8, 128)
    objective._enqueue(keys[:3])
    assert torch.equal(objective.queue, torch.cat([keys[:3], start[3:]]))
    objective._enqueue(keys[3:6])
    assert torch.equal(objective.queue, torch.cat([keys[5:6], keys[1:5]]))
    assert objective.position == 1


def test_a_batch_larger_than_the_queue_leaves_its_last_keys(encoder):
    objective = build(encoder, 5)
    keys = unit(8, 128)
    objective._enqueue(keys)
    assert torch.equal(objective.queue, keys[3:])


def test_evaluation_leaves_the_queue(encoder, views):
    objective = build(encoder, 16).eval()
    before = objective.queue.clone()
    objective(encoder, views)
    assert torch.equal(objective.queue, before)


def test_gradient_reaches_the_query_networks_alone(encoder, views):
    objective = build(encoder, 16)
    objective(encoder, views).loss.backward()
    for name, parameter in [*encoder.named_parameters(), *objective.named_parameters()]:
        assert (parameter.grad is None) == name.startswith("key_"), name
    assert encoder.trunk[0].weight.grad.abs().sum() > 0


def test_keys_follow_after_the_step(encoder):
    objective = build(encoder, 16)
    before = objective.key_encoder.trunk[0].weight.clone()
    head_before = objective.key_head[0].weight.clone()
    with torch.no_grad():
        encoder.trunk[0].weight += 1
        objective.head[0].weight.zero_()
    objective.after_step(encoder, progress=0.3)
    torch.testing.assert_close(objective.key_encoder.trunk[0].weight, before + 0.001)
    torch.testing.assert_close(objective.key_head[0].weight, 0.999 * head_before)
