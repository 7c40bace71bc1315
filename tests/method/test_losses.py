import math

import pytest
import torch
import torch.nn.functional as F
from pytorch_metric_learning.losses import SupConLoss

from protofair.method.losses import cross_batch_loss, within_batch_loss
from protofair.method.pairs import batch_positives, queue_positives

TEMPERATURE = 0.2


def within(batch, temperature=TEMPERATURE, z=None):
    positives = batch_positives(batch.clusters, batch.sensitive)
    return within_batch_loss(batch.z if z is None else z, positives=positives, temperature=temperature)


def cross(batch, queue, temperature=TEMPERATURE, *, filled=None, z=None):
    filled = torch.ones(len(queue.z), dtype=torch.bool) if filled is None else filled
    positives = queue_positives(
        batch.clusters,
        batch.sensitive,
        queue_clusters=queue.clusters,
        queue_sensitive=queue.sensitive,
        filled=filled,
    )
    z = batch.z if z is None else z
    return cross_batch_loss(z, queue=queue.z, positives=positives, filled=filled, temperature=temperature)


@pytest.mark.parametrize("temperature", [0.07, 0.5])
def test_within_equals_the_loops(batch_and_queue, loop_within, temperature):
    batch, _ = batch_and_queue
    assert within(batch, temperature).item() == pytest.approx(loop_within(batch, temperature), rel=1e-12)


@pytest.mark.parametrize("temperature", [0.07, 0.5])
def test_cross_equals_the_loops(batch_and_queue, loop_cross, temperature):
    batch, queue = batch_and_queue
    assert cross(batch, queue, temperature).item() == pytest.approx(loop_cross(batch, queue, temperature), rel=1e-12)


def test_cross_counts_only_filled_places(batch_and_queue, loop_cross):
    batch, queue = batch_and_queue
    taken = len(queue.z) // 2
    filled = torch.arange(len(queue.z)) < taken
    expected = loop_cross(batch, type(queue)(*(column[:taken] for column in queue)), TEMPERATURE)
    assert cross(batch, queue, filled=filled).item() == pytest.approx(expected, rel=1e-12)


def test_a_case_by_hand():
    """Three samples on the unit circle at 0, 90 and 180 degrees, tau = 1/2.

    Clusters 0, 0, 1 and groups 0, 1, 1: P_0 = {1}, P_1 = {0}, P_2 = {}, so V = {0, 1}.
    Similarities over tau: s_01 = 0, s_02 = -2, s_12 = 0.
      anchor 0: -log(e^0 / (e^0 + e^-2)) = log(1 + e^-2) = 0.126928
      anchor 1: -log(e^0 / (e^0 + e^0))  = log 2         = 0.693147      L_within = 0.410038

    Queue of three at 0, 90 and 270 degrees, clusters 0, 0, 1, groups 1, 0, 0: P_0 = {0}, P_1 = {1}, P_2 = {2}.
      anchor 0, similarities  2, 0, 0:  log(e^2 + 2) - 2        = 0.239545
      anchor 1, similarities  0, 2, -2: log(1 + e^2 + e^-2) - 2 = 0.142932
      anchor 2, similarities -2, 0, 0:  log(e^-2 + 2) - 0       = 0.758624      L_cross = 0.380367
    """
    z = torch.tensor([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    clusters, sensitive = torch.tensor([0, 0, 1]), torch.tensor([0, 1, 1])
    positives = batch_positives(clusters, sensitive)
    assert within_batch_loss(z, positives=positives, temperature=0.5).item() == pytest.approx(0.410038, abs=1e-6)

    queue = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    filled = torch.ones(3, dtype=torch.bool)
    positives = queue_positives(
        clusters,
        sensitive,
        queue_clusters=torch.tensor([0, 0, 1]),
        queue_sensitive=torch.tensor([1, 0, 0]),
        filled=filled,
    )
    loss = cross_batch_loss(z, queue=queue, positives=positives, filled=filled, temperature=0.5)
    assert loss.item() == pytest.approx(0.380367, abs=1e-6)


def test_an_independent_library_agrees(batch_and_queue):
    """SupConLoss given our pairs: its average, too, is over the anchors that have a positive."""
    batch, queue = batch_and_queue
    positives = batch_positives(batch.clusters, batch.sensitive)
    negatives = ~positives & ~torch.eye(len(batch.z), dtype=torch.bool)
    oracle = SupConLoss(temperature=TEMPERATURE)
    pairs = (*positives.nonzero(as_tuple=True), *negatives.nonzero(as_tuple=True))
    assert torch.allclose(within(batch), oracle(batch.z, indices_tuple=pairs), rtol=1e-9)

    filled = torch.ones(len(queue.z), dtype=torch.bool)
    positives = queue_positives(
        batch.clusters,
        batch.sensitive,
        queue_clusters=queue.clusters,
        queue_sensitive=queue.sensitive,
        filled=filled,
    )
    pairs = (*positives.nonzero(as_tuple=True), *(~positives).nonzero(as_tuple=True))
    assert torch.allclose(cross(batch, queue), oracle(batch.z, indices_tuple=pairs, ref_emb=queue.z), rtol=1e-9)


def test_gradients_are_those_of_finite_differences(batch_and_queue):
    batch, queue = batch_and_queue
    x = torch.randn(batch.z.shape, dtype=torch.float64, generator=torch.Generator().manual_seed(1), requires_grad=True)
    filled = torch.arange(len(queue.z)) < len(queue.z) - 1
    assert torch.autograd.gradcheck(lambda x: within(batch, z=F.normalize(x, dim=1)), x)
    assert torch.autograd.gradcheck(lambda x: cross(batch, queue, z=F.normalize(x, dim=1), filled=filled), x)


def test_no_order_of_the_samples_matters(batch_and_queue):
    batch, queue = batch_and_queue
    generator = torch.Generator().manual_seed(0)
    order = torch.randperm(len(batch.z), generator=generator)
    shuffled = type(batch)(*(column[order] for column in batch))
    queue_order = torch.randperm(len(queue.z), generator=generator)
    shuffled_queue = type(queue)(*(column[queue_order] for column in queue))
    assert torch.allclose(within(shuffled), within(batch), rtol=1e-12)
    assert torch.allclose(cross(shuffled, shuffled_queue), cross(batch, queue), rtol=1e-12)


@pytest.mark.parametrize(
    ("clusters", "sensitive"),
    [([0, 0, 0, 0], [1, 1, 1, 1]), ([0, 1, 2, 3], [0, 1, 0, 1]), ([0], [0])],
    ids=["one group", "all clusters distinct", "one sample"],
)
def test_without_a_positive_the_loss_is_zero_with_zero_gradients(clusters, sensitive):
    clusters, sensitive = torch.tensor(clusters), torch.tensor(sensitive)
    x = torch.randn(len(clusters), 3, generator=torch.Generator().manual_seed(0), requires_grad=True)
    positives = batch_positives(clusters, sensitive)
    loss = within_batch_loss(F.normalize(x, dim=1), positives=positives, temperature=0.07)
    loss.backward()
    assert loss.item() == 0
    assert math.copysign(1, loss.item()) == 1
    assert torch.equal(x.grad, torch.zeros_like(x))


def test_an_empty_queue_gives_zero_with_zero_gradients():
    x = torch.randn(4, 3, generator=torch.Generator().manual_seed(0), requires_grad=True)
    nothing = torch.zeros(6, dtype=torch.bool)
    loss = cross_batch_loss(
        F.normalize(x, dim=1),
        queue=torch.zeros(6, 3),
        positives=nothing.expand(4, 6),
        filled=nothing,
        temperature=0.07,
    )
    loss.backward()
    assert loss.item() == 0
    assert torch.equal(x.grad, torch.zeros_like(x))


def test_one_cluster_and_two_opposite_groups_is_finite_at_a_small_temperature():
    """exp(1 / 0.005) is above float32: the sums must be taken in the log domain."""
    z = torch.tensor([[1.0, 0.0], [1.0, 0.0], [-1.0, 0.0]], requires_grad=True)
    positives = batch_positives(torch.zeros(3, dtype=torch.int64), torch.tensor([0, 0, 1]))
    loss = within_batch_loss(z, positives=positives, temperature=0.005)
    loss.backward()
    # Anchors 0 and 1: positive at -200, the other at 200: 400 each. Anchor 2: both positives alike: log 2.
    assert loss.item() == pytest.approx((400 + 400 + math.log(2)) / 3)
    assert z.grad.isfinite().all()
