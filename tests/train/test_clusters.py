import pytest
import torch

from protofair.train.augment import normalise, unit_range
from protofair.train.batches import TrainingSet
from protofair.train.clusters import cluster_metrics, contingency, training_features
from protofair.train.networks import Networks


def test_contingency_counts_like_a_loop():
    random = torch.Generator().manual_seed(0)
    clusters, sensitive, target = (torch.randint(high, (200,), generator=random) for high in (5, 3, 2))
    table = contingency(clusters, sensitive=sensitive, target=target, shape=(5, 3, 2))
    for k in range(5):
        for s in range(3):
            for t in range(2):
                assert table[k, s, t] == ((clusters == k) & (sensitive == s) & (target == t)).sum()


def test_metrics_by_hand():
    # cluster 0: group 0 with targets 0, 0, 1 and group 1 with target 0; cluster 1: group 1 with targets 1, 1; 2: nobody
    table = torch.tensor([[[2, 1], [1, 0]], [[0, 0], [0, 2]], [[0, 0], [0, 0]]], dtype=torch.float64)
    metrics = cluster_metrics(table)
    assert metrics["occupancy"] == [0.666667, 0.333333, 0.0]
    assert metrics["sensitive_purity"] == 0.833333  # 3 of 4 and 2 of 2
    assert metrics["sensitive_purity_chance"] == 0.5
    assert metrics["group_shares"] == [[0.75, 0.25], [0.0, 1.0], [0.0, 0.0]]
    assert metrics["pair_purity"] == 0.666667  # three pairs across groups, all in cluster 0; two of one target


def test_pair_purity_is_the_share_over_all_pairs():
    random = torch.Generator().manual_seed(1)
    clusters, sensitive, target = (torch.randint(high, (60,), generator=random) for high in (4, 3, 2))
    same = pairs = 0
    for i in range(60):
        for j in range(60):
            if clusters[i] == clusters[j] and sensitive[i] != sensitive[j]:
                pairs += 1
                same += int(target[i] == target[j])
    table = contingency(clusters, sensitive=sensitive, target=target, shape=(4, 3, 2))
    assert cluster_metrics(table)["pair_purity"] == pytest.approx(same / pairs, abs=1e-6)


@pytest.mark.parametrize("shape", [(3, 2, 1), (3, 1, 2)])
def test_pair_purity_is_none_without_targets_or_without_pairs(shape):
    assert cluster_metrics(torch.ones(shape, dtype=torch.float64))["pair_purity"] is None


@pytest.mark.parametrize(("space", "dim"), [("head", 128), ("contrastive", 128), ("encoder", 128)])
@pytest.mark.parametrize("name", ["supcon", "barlow-twins"])
def test_features_are_of_every_training_image_in_eval_mode(project, packed, space, dim, name):
    target = {"target": "Smiling"} if name == "supcon" else {"width": 128}
    networks = Networks(project.warmup_config(objective={"name": name, **target})).train()
    before = {key: value.clone() for key, value in networks.state_dict().items()}
    images = TrainingSet(packed, ["Smiling", "Male"])
    features = training_features(networks, images, space=space, batch_size=10, pause=lambda: None)
    assert features.shape == (24, dim)
    assert not features.requires_grad
    assert networks.training
    assert all(torch.equal(before[key], value) for key, value in networks.state_dict().items())

    networks.eval()
    view = normalise(unit_range(torch.from_numpy(packed.images[packed.rows("train")])))
    encoded = networks.encoder(view)
    head = networks.objective.head if name == "supcon" else networks.objective.projector
    expected = {
        "head": lambda: networks.cluster_head(encoded),
        "encoder": lambda: encoded,
        "contrastive": lambda: torch.nn.functional.normalize(head(encoded), dim=1),
    }[space]()
    torch.testing.assert_close(features, expected.detach(), atol=1e-5, rtol=1e-4)


def test_pause_is_called_before_every_batch(project, packed):
    calls = []
    images = TrainingSet(packed, ["Smiling"])
    networks = Networks(project.warmup_config())
    training_features(networks, images, space="encoder", batch_size=10, pause=lambda: calls.append(1))
    assert len(calls) == 3
