import torch

from protofair.method.queue import Queue


def entries(start, count):
    """Samples numbered from `start`: the number is the feature, its last digit the cluster, its negative the group."""
    number = torch.arange(start, start + count)
    return number.float()[:, None].repeat(1, 2), number % 10, -number


def content(queue):
    """The numbers of the filled places, with all three columns found in step."""
    filled = queue.filled()
    assert 0 <= queue.position < len(queue)
    numbers = queue.features[filled, 0].long()
    assert torch.equal(queue.features[filled, 1].long(), numbers)
    assert torch.equal(queue.clusters[filled], numbers % 10)
    assert torch.equal(queue.sensitive[filled], -numbers)
    return sorted(numbers.tolist())


def test_it_starts_empty():
    assert content(Queue(5, 2)) == []


def test_it_fills_up_and_then_drops_the_oldest():
    queue = Queue(5, 2)
    seen = []
    for start, count in [(1, 3), (4, 1), (5, 3), (8, 2), (10, 4)]:  # batches of different sizes, across the end
        queue.enqueue(*entries(start, count))
        seen = [*seen, *range(start, start + count)][-5:]
        assert content(queue) == seen
        assert queue.fill.item() == len(seen)


def test_of_a_batch_larger_than_itself_it_keeps_the_last():
    queue = Queue(5, 2)
    queue.enqueue(*entries(1, 2))
    queue.enqueue(*entries(3, 12))
    assert content(queue) == [10, 11, 12, 13, 14]
    queue.enqueue(*entries(15, 2))
    assert content(queue) == [12, 13, 14, 15, 16]


def test_it_goes_on_from_a_saved_state():
    queue = Queue(5, 2)
    queue.enqueue(*entries(1, 4))
    loaded = Queue(5, 2)
    loaded.load_state_dict(queue.state_dict())
    for copy in (queue, loaded):
        copy.enqueue(*entries(5, 3))
    assert content(loaded) == content(queue) == [3, 4, 5, 6, 7]


def test_cleared_it_is_as_new():
    queue = Queue(5, 2)
    queue.enqueue(*entries(1, 4))
    queue.clear()
    assert content(queue) == []
    queue.enqueue(*entries(20, 2))
    assert content(queue) == [20, 21]


def test_entries_are_detached():
    queue = Queue(3, 2)
    features, clusters, sensitive = entries(1, 2)
    queue.enqueue(features.requires_grad_(), clusters, sensitive)
    assert not queue.features.requires_grad
