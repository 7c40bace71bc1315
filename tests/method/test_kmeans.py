import pytest
import torch
import torch.nn.functional as F
from sklearn.cluster import KMeans

from protofair.method import kmeans
from protofair.method.kmeans import spherical_kmeans
from protofair.method.prototypes import assign


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def clouds(n, k, dim, spread, seed=0):
    """n unit vectors around k directions, and the direction each belongs to."""
    generator = seeded(seed)
    centres = F.normalize(torch.randn(k, dim, generator=generator), dim=1)
    labels = torch.arange(n) % k
    return F.normalize(centres[labels] + spread * torch.randn(n, dim, generator=generator), dim=1), labels


def inertia(points, centroids):
    """Sum of squared distances to the nearest centroid."""
    return torch.cdist(points.double(), torch.as_tensor(centroids).double()).amin(dim=1).square().sum().item()


def same_partition(left, right):
    """Equal up to the names of the clusters."""
    return len({*zip(left.tolist(), right.tolist(), strict=True)}) == len({*left.tolist()}) == len({*right.tolist()})


@pytest.mark.parametrize(("k", "dim"), [(3, 2), (5, 8), (10, 32)])
def test_separated_clouds_are_found_as_scikit_learn_finds_them(k, dim):
    points, labels = clouds(400, k, dim, spread=0.02)
    found = assign(points, spherical_kmeans(points, k, generator=seeded()))
    theirs = KMeans(k, n_init=5, random_state=0).fit(points.numpy())
    assert same_partition(found, labels)
    assert same_partition(found, torch.as_tensor(theirs.labels_))


@pytest.mark.parametrize("seed", range(4))
def test_overlapping_clouds_are_clustered_about_as_well_as_by_scikit_learn(seed):
    points, _ = clouds(1500, 8, 16, spread=0.25, seed=seed)
    ours = spherical_kmeans(points, 8, generator=seeded(seed))
    theirs = F.normalize(
        torch.as_tensor(KMeans(8, n_init=5, max_iter=25, random_state=seed).fit(points.numpy()).cluster_centers_), dim=1
    )
    assert inertia(points, ours) <= 1.01 * inertia(points, theirs)


def test_the_result_is_a_fixed_point():
    """After convergence each centroid is the normalised mean of the points nearest to it."""
    points, _ = clouds(300, 4, 6, spread=0.3)
    centroids = spherical_kmeans(points, 4, generator=seeded(), iterations=200)
    labels = assign(points, centroids)
    means = F.normalize(torch.stack([points[labels == k].mean(dim=0) for k in range(4)]), dim=1)
    assert torch.allclose(centroids, means, atol=1e-6)


def test_the_best_restart_wins():
    points, _ = clouds(600, 12, 8, spread=0.3)
    alone = []
    for seeds in kmeans._seeds(points, 12, 5, seeded()):
        centroids = seeds[None]
        for _ in range(25):
            centroids = kmeans._move(points, centroids, *kmeans._sweep(points, centroids))
        alone.append(inertia(points, centroids[0]))
    assert max(alone) > 1.001 * min(alone), "the restarts should differ for this to test anything"
    best = spherical_kmeans(points, 12, generator=seeded(), restarts=5)
    assert inertia(points, best) == pytest.approx(min(alone), rel=1e-5)


def test_the_seed_decides_everything():
    points, _ = clouds(500, 10, 8, spread=0.5)
    first = spherical_kmeans(points, 10, generator=seeded(1))
    torch.manual_seed(99)
    assert torch.equal(spherical_kmeans(points, 10, generator=seeded(1)), first)
    assert not torch.equal(spherical_kmeans(points, 10, generator=seeded(2)), first)


def test_the_global_random_state_is_left_alone():
    points, _ = clouds(50, 3, 4, spread=0.5)
    state = torch.get_rng_state()
    spherical_kmeans(points, 3, generator=seeded())
    assert torch.equal(torch.get_rng_state(), state)


def test_chunks_change_nothing_but_rounding(monkeypatch):
    points, _ = clouds(500, 6, 8, spread=0.1)
    whole = spherical_kmeans(points, 6, generator=seeded())
    monkeypatch.setattr(kmeans, "CHUNK", 64)
    assert torch.allclose(spherical_kmeans(points, 6, generator=seeded()), whole, atol=1e-5)


def test_kmeans_plus_plus_draws_by_squared_distance():
    """After a first seed at (1, 0): 90 degrees has the squared distance 2, 180 degrees 4, itself 0."""
    points = torch.tensor([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    seeds = kmeans._seeds(points, 2, 30000, seeded())
    second = seeds[:, 1][seeds[:, 0, 0] == 1]
    assert (second[:, 1] == 1).float().mean().item() == pytest.approx(1 / 3, abs=0.02)
    assert not (second[:, 0] == 1).any()


def test_an_empty_cluster_restarts_at_the_point_served_worst():
    points = F.normalize(torch.tensor([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0], [0.2, 1.0]]), dim=1)
    centroids = F.normalize(torch.tensor([[[1.0, 0.1], [-1.0, -1.0]]]), dim=2)  # nobody is near the second
    cosines, sums, counts = kmeans._sweep(points, centroids)
    assert counts.tolist() == [[4, 0]]
    moved = kmeans._move(points, centroids, cosines, sums, counts)
    assert torch.equal(moved[0, 1], points[2])


def test_two_empty_clusters_restart_at_different_points():
    points = F.normalize(torch.tensor([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0], [0.2, 1.0]]), dim=1)
    centroids = F.normalize(torch.tensor([[[1.0, 0.1], [-1.0, -1.0], [-1.0, -1.0]]]), dim=2)
    moved = kmeans._move(points, centroids, *kmeans._sweep(points, centroids))
    assert torch.equal(moved[0, 1:], points[[2, 3]])


def test_ties_go_to_one_cluster_only():
    """Equal centroids would otherwise share their points for ever, and none of them would count as empty."""
    points, _ = clouds(40, 4, 3, spread=0.1)
    _, sums, counts = kmeans._sweep(points, points[:1].expand(1, 3, 3).contiguous())
    assert counts.tolist() == [[40, 0, 0]]
    assert torch.allclose(sums[0, 0], points.sum(dim=0), atol=1e-5)


def test_fewer_distinct_points_than_clusters_end_in_unit_vectors():
    points = F.normalize(torch.tensor([[1.0, 2.0], [3.0, -1.0]]), dim=1).repeat(10, 1)
    centroids = spherical_kmeans(points, 5, generator=seeded())
    assert torch.allclose(centroids.norm(dim=1), torch.ones(5))
    assert inertia(points, centroids) == pytest.approx(0, abs=1e-5)


def test_opposite_points_in_one_cluster_have_no_mean_but_keep_a_direction():
    points = torch.tensor([[1.0, 0.0], [-1.0, 0.0]])
    assert torch.allclose(spherical_kmeans(points, 1, generator=seeded()).norm(dim=1), torch.ones(1))


def test_as_many_clusters_as_points():
    points, _ = clouds(7, 7, 4, spread=0.1)
    found = assign(points, spherical_kmeans(points, 7, generator=seeded()))
    assert sorted(found.tolist()) == list(range(7))
