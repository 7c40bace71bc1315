import torch

from protofair.method.pairs import batch_positives, queue_positives


def test_a_pair_shares_the_cluster_and_not_the_group():
    clusters = torch.tensor([0, 0, 0, 1, 1])
    sensitive = torch.tensor([0, 1, 0, 1, 1])
    expected = torch.tensor(
        [
            [0, 1, 0, 0, 0],
            [1, 0, 1, 0, 0],
            [0, 1, 0, 0, 0],
            [0, 0, 0, 0, 0],
            [0, 0, 0, 0, 0],
        ]
    ).bool()
    assert torch.equal(batch_positives(clusters, sensitive), expected)


def test_every_other_group_counts_when_there_are_several():
    positives = batch_positives(torch.zeros(4, dtype=torch.int64), torch.tensor([0, 7, -3, 7]))
    assert positives.sum(dim=1).tolist() == [3, 2, 3, 2]


def test_queue_pairs_leave_out_the_places_not_yet_filled():
    positives = queue_positives(
        torch.tensor([0, 1]),
        torch.tensor([0, 1]),
        queue_clusters=torch.tensor([0, 0, 1, 0]),
        queue_sensitive=torch.tensor([1, 0, 0, 1]),
        filled=torch.tensor([True, True, True, False]),
    )
    assert positives.tolist() == [[True, False, False, False], [False, False, True, False]]


def test_queue_pairs_equal_the_loops(batch_and_queue):
    batch, queue = batch_and_queue
    filled = torch.arange(len(queue.z)) < len(queue.z) - 2
    positives = queue_positives(
        batch.clusters,
        batch.sensitive,
        queue_clusters=queue.clusters,
        queue_sensitive=queue.sensitive,
        filled=filled,
    )
    for i in range(len(batch.z)):
        for j in range(len(queue.z)):
            same_cluster = batch.clusters[i] == queue.clusters[j]
            other_group = batch.sensitive[i] != queue.sensitive[j]
            assert positives[i, j] == (same_cluster and other_group and filled[j])
