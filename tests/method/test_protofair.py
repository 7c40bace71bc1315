import io

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from protofair import ProtoFair

K, DIM = 3, 4


def unit(n, dim=DIM, seed=0, dtype=torch.float32):
    return F.normalize(torch.randn(n, dim, generator=torch.Generator().manual_seed(seed), dtype=dtype), dim=1)


def batch(n, seed, *, groups=2, cluster_dim=DIM):
    """The arguments of a step: z, and the rest by name."""
    sensitive = torch.randint(groups, (n,), generator=torch.Generator().manual_seed(seed))
    return unit(n, seed=seed), {"cluster_features": 3 * unit(n, cluster_dim, seed + 1000), "sensitive": sensitive}


def initialised(**options):
    fair = ProtoFair(K, DIM, **{"queue_size": 10, **options})
    fair.initialise(unit(40, seed=7))
    return fair


class LoopFair:
    """The whole method as the paper tells it, with lists for prototypes and queue."""

    def __init__(self, prototypes, size, loop_within, loop_cross, momentum=0.9, temperature=0.07):
        self.prototypes, self.size, self.momentum, self.temperature = list(prototypes), size, momentum, temperature
        self.within, self.cross = loop_within, loop_cross
        self.queue = []

    def nearest(self, features):
        return [max(range(len(self.prototypes)), key=lambda k: float(h @ self.prototypes[k])) for h in features]

    def step(self, z, cluster_features, sensitive, *, update="after"):
        features = [h / h.norm() for h in cluster_features]
        if update == "before":
            self.follow(features, self.nearest(features))
        clusters = self.nearest(features)
        now = (z, torch.tensor(clusters), sensitive)
        loss = self.within(now, self.temperature)
        if self.queue:
            past = tuple(torch.stack(column) for column in zip(*self.queue, strict=True))
            loss += self.cross(now, past, self.temperature)
        if update == "after":
            self.follow(features, clusters)
        self.queue = [*self.queue, *zip(*now, strict=True)][-self.size :]
        return loss

    def follow(self, features, clusters):
        for k in range(len(self.prototypes)):
            own = [h for h, cluster in zip(features, clusters, strict=True) if cluster == k]
            if own:
                c = self.momentum * self.prototypes[k] + (1 - self.momentum) * sum(own) / len(own)
                self.prototypes[k] = c / c.norm()


@pytest.mark.parametrize("update", ["after", "before"])
@pytest.mark.parametrize("groups", [2, 3])
def test_many_steps_equal_the_loops(loop_within, loop_cross, update, groups):
    fair = ProtoFair(4, DIM, cluster_dim=5, queue_size=20, momentum=0.6, update=update).double()
    fair.initialise(unit(50, 5, seed=1))
    loops = LoopFair(fair.prototypes.clone(), 20, loop_within, loop_cross, momentum=0.6)
    for step, n in enumerate([8, 8, 3, 12, 25, 8]):  # fills up, wraps around, and once more than the queue holds
        z, arguments = batch(n, step, groups=groups, cluster_dim=5)
        z, arguments["cluster_features"] = F.normalize(z.double(), dim=1), arguments["cluster_features"].double()
        loss = fair(z, **arguments)
        expected = loops.step(z, **arguments, update=update)
        assert loss.item() == pytest.approx(expected, rel=1e-9)
        assert expected > 0
        assert torch.allclose(fair.prototypes, torch.stack(loops.prototypes), rtol=1e-9)


def test_the_readme_example():
    fair = ProtoFair(num_prototypes=10, dim=128)
    fair.initialise(torch.randn(50, 128))
    loss = fair(unit(16, 128), cluster_features=torch.randn(16, 128), sensitive=torch.arange(16) % 2)
    assert loss.shape == ()
    assert loss.item() > 0
    assert len(fair.queue) == 4 * 2 * 128


def test_dimensions_of_z_and_cluster_features_may_differ():
    fair = ProtoFair(K, DIM, cluster_dim=6)
    fair.initialise(unit(20, 6))
    z, arguments = batch(8, 0, cluster_dim=6)
    assert fair(z, **arguments).isfinite()


class Network(nn.Module):
    """An encoder with the two heads of the paper, in miniature."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.encoder = nn.Sequential(nn.Linear(5, 8), nn.ReLU())
        self.contrastive_head = nn.Linear(8, DIM)
        self.cluster_head = nn.Linear(8, DIM)

    def forward(self, x):
        features = self.encoder(x)
        return F.normalize(self.contrastive_head(features), dim=1), self.cluster_head(features)


def test_gradients_reach_the_encoder_and_the_contrastive_head_alone():
    network, fair = Network(), initialised()
    for seed in range(2):  # the second step has a queue to compare with
        z, h = network(torch.randn(12, 5, generator=torch.Generator().manual_seed(seed)))
        loss = fair(z, cluster_features=h, sensitive=torch.arange(12) % 2)
    assert min(fair.statistics()["within"], fair.statistics()["cross"]) > 0
    loss.backward()
    trained = [*network.encoder.parameters(), *network.contrastive_head.parameters()]
    assert all(parameter.grad.abs().sum() > 0 for parameter in trained)
    assert all(parameter.grad is None for parameter in network.cluster_head.parameters())
    assert not list(fair.parameters())
    assert not any(buffer.requires_grad for buffer in fair.buffers())


def test_the_queue_alone_gives_gradients_too():
    fair = initialised()
    z, arguments = batch(8, 0)
    fair(z, **arguments)
    z = unit(2, seed=3).requires_grad_()
    # Two samples of one new group, in the cluster of the queue's first entry: no pair in the batch, some in the queue.
    cluster_features = fair.prototypes[fair.queue.clusters[[0, 0]]]
    fair(z, cluster_features=cluster_features, sensitive=torch.tensor([5, 5])).backward()
    assert fair.statistics()["within"] == 0
    assert fair.statistics()["cross"] > 0
    assert z.grad.abs().sum() > 0


def test_training_leaves_the_cluster_head_bit_identical():
    """Not even weight decay and momentum reach it: its gradient stays None."""
    network, fair = Network(), initialised()
    before = [parameter.clone() for parameter in network.cluster_head.parameters()]
    encoder_before = network.encoder[0].weight.clone()
    optimiser = torch.optim.SGD(network.parameters(), lr=0.1, momentum=0.9, weight_decay=0.01)
    for seed in range(5):
        z, h = network(torch.randn(12, 5, generator=torch.Generator().manual_seed(seed)))
        optimiser.zero_grad()
        fair(z, cluster_features=h, sensitive=torch.arange(12) % 2).backward()
        optimiser.step()
    assert all(torch.equal(a, b) for a, b in zip(before, network.cluster_head.parameters(), strict=True))
    assert not torch.equal(network.encoder[0].weight, encoder_before)


def test_the_whole_step_passes_gradcheck():
    fair = initialised().double().eval()
    fair.train()(unit(8, dtype=torch.float64), cluster_features=unit(8, seed=1), sensitive=torch.arange(8) % 3)
    fair.eval()  # the queue is filled and stays
    x = torch.randn(6, DIM, dtype=torch.float64, generator=torch.Generator().manual_seed(0), requires_grad=True)
    h, sensitive = unit(6, seed=2), torch.arange(6) % 3
    assert torch.autograd.gradcheck(lambda x: fair(F.normalize(x, dim=1), cluster_features=h, sensitive=sensitive), x)


def test_the_order_of_a_batch_changes_neither_loss_nor_prototypes():
    order = torch.randperm(9, generator=torch.Generator().manual_seed(0))
    straight, shuffled = initialised(), initialised()
    for seed in range(2):
        z, arguments = batch(9, seed)
        a = straight(z, **arguments)
        b = shuffled(z[order], **{name: value[order] for name, value in arguments.items()})
        assert torch.allclose(a, b, rtol=1e-5)
    assert torch.allclose(straight.prototypes, shuffled.prototypes, atol=1e-6)


@pytest.mark.parametrize(
    ("n", "sensitive"), [(6, [1, 1, 1, 1, 1, 1]), (1, [0])], ids=["one group", "one sample, empty queue"]
)
def test_a_batch_without_pairs_is_zero_with_a_graph(n, sensitive):
    fair = initialised()
    z = unit(n).requires_grad_()
    for _ in range(2):
        loss = fair(z, cluster_features=unit(n, seed=1), sensitive=torch.tensor(sensitive))
        assert loss.item() == 0
        loss.backward()
        assert torch.equal(z.grad, torch.zeros_like(z))


def test_in_one_cluster_every_other_group_is_a_positive():
    fair = ProtoFair(1, DIM)
    fair.initialise(unit(5))
    fair(unit(6), cluster_features=unit(6, seed=1), sensitive=torch.tensor([0, 0, 1, 1, 2, 2]))
    assert fair.statistics()["pairs_within"] == 6 * 4


def test_a_saved_state_goes_on_bit_identically():
    fair = initialised()
    for seed in range(2):
        z, arguments = batch(4, seed)
        fair(z, **arguments)  # 8 of 10 places taken: the next step wraps around
    file = io.BytesIO()
    torch.save(fair.state_dict(), file)
    fresh = ProtoFair(K, DIM, queue_size=10)
    fresh.load_state_dict(torch.load(io.BytesIO(file.getvalue()), weights_only=True))
    for seed in range(2, 6):
        z, arguments = batch(4, seed)
        assert torch.equal(fair(z, **arguments), fresh(z, **arguments))
    for name, value in fair.state_dict().items():
        assert torch.equal(value, fresh.state_dict()[name]), name


def test_the_state_is_complete():
    assert set(initialised().state_dict()) == {
        "prototypes",
        "queue.features",
        "queue.clusters",
        "queue.sensitive",
        "queue.fill",
        "queue.position",
    }


@pytest.mark.parametrize("bad", [torch.nan, torch.inf])
def test_a_row_that_overflowed_is_gone_with_its_step(bad):
    """Nothing of it stays in prototypes and queue: the step after it is finite, and so is its gradient."""
    fair = initialised()
    fair(unit(6), cluster_features=unit(6), sensitive=torch.arange(6) % 2)  # values are checked on the first call
    z, arguments = batch(6, seed=1)
    z[2, 1] = arguments["cluster_features"][3, 0] = bad
    fair(z, **arguments)
    assert fair.prototypes.isfinite().all()
    assert fair.queue.features.isfinite().all()
    z, arguments = batch(6, seed=2)
    loss = fair(z.requires_grad_(), **arguments)
    loss.backward()
    assert loss.isfinite()
    assert z.grad.isfinite().all()


def test_in_eval_mode_nothing_moves():
    fair = initialised()
    z, arguments = batch(8, 0)
    fair(z, **arguments)
    before = {name: value.clone() for name, value in fair.state_dict().items()}
    first = fair.eval()(z, **arguments)
    assert torch.equal(fair(z, **arguments), first)
    assert all(torch.equal(value, before[name]) for name, value in fair.state_dict().items())


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_autocast_changes_nothing(dtype):
    plain, cast = initialised(), initialised()
    for seed in range(2):
        z, arguments = batch(8, seed)
        z = z.to(dtype).requires_grad_()
        expected = plain(z, **arguments)
        with torch.autocast("cpu", torch.bfloat16):
            loss = cast(z, **arguments)
        assert loss.dtype == torch.float32
        assert torch.equal(loss, expected)
        loss.backward()
        assert z.grad.dtype == dtype
    assert torch.equal(cast.prototypes, plain.prototypes)


def test_initialise_under_autocast_changes_nothing():
    fair = ProtoFair(K, DIM)
    with torch.autocast("cpu", torch.bfloat16):
        fair.initialise(unit(40, seed=7))
    assert torch.equal(fair.prototypes, initialised().prototypes)


def test_half_precision_is_close_to_full():
    z, arguments = batch(8, 0)
    expected = initialised()(z, **arguments).item()
    assert initialised()(z.bfloat16(), **arguments).item() == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("dtype", [torch.bool, torch.uint8, torch.int32])
def test_groups_may_have_any_integer_type(dtype):
    z, arguments = batch(8, 0)
    expected = initialised()(z, **arguments)
    assert torch.equal(initialised()(z, **{**arguments, "sensitive": arguments["sensitive"].to(dtype)}), expected)


def test_a_step_never_waits_for_the_device():
    """Meta tensors have no values and mix with no other device: reading one, or a tensor made on the host, raises."""
    fair = initialised()
    z, arguments = batch(8, 0)
    fair(z, **arguments)  # the first call checks values, on purpose
    fair.to("meta")
    arguments = {name: value.to("meta") for name, value in arguments.items()}
    loss = fair(z.to("meta").requires_grad_(), **arguments)
    loss.backward()
    assert loss.device.type == "meta"
    assert all(value.device.type == "meta" for value in fair.statistics().values())
    with pytest.raises(RuntimeError, match="meta"):
        loss.item()


def test_statistics_count_the_last_step():
    fair = ProtoFair(2, 2, queue_size=8)
    fair.initialise(torch.tensor([[1.0, 0.0], [0.0, 1.0]]))
    assert fair.statistics() == {}
    h, sensitive = fair.prototypes[[0, 0, 0, 1]], torch.tensor([0, 1, 1, 0])
    fair(unit(4, 2), cluster_features=h, sensitive=sensitive)
    loss = fair(unit(2, 2).requires_grad_(), cluster_features=h[2:], sensitive=sensitive[:2])
    found = fair.statistics()
    # Clusters 0, 1 and groups 0, 1: no pair in the batch. In the queue, sample 0 meets two of group 1 in cluster 0,
    # and sample 1 the one of group 0 in cluster 1.
    assert found["pairs_within"] == 0
    assert found["pairs_queue"] == 3
    assert found["anchors_within"] == 0
    assert found["anchors_queue"] == 2
    assert found["occupancy"].tolist() == [1, 1]
    assert found["clusters"].tolist() == [0, 1]
    assert found["queue_fill"] == 4
    assert found["within"] + found["cross"] == loss
    assert not any(value.requires_grad for value in found.values())


def test_initialising_again_empties_the_queue_or_keeps_it():
    for keep, fill in ((False, 0), (True, 8)):
        fair = initialised(keep_queue=keep)
        z, arguments = batch(8, 0)
        fair(z, **arguments)
        fair.initialise(unit(40, seed=8))
        fair(z, **arguments)
        assert fair.statistics()["queue_fill"] == fill


def test_initialise_is_seeded_and_leaves_the_global_random_state_alone():
    points = unit(200, seed=3)
    state = torch.get_rng_state()
    first, again, other = ProtoFair(20, DIM), ProtoFair(20, DIM), ProtoFair(20, DIM)
    first.initialise(points)
    again.initialise(points)
    other.initialise(points, generator=torch.Generator().manual_seed(1))
    assert torch.equal(first.prototypes, again.prototypes)
    assert not torch.equal(first.prototypes, other.prototypes)
    assert torch.equal(torch.get_rng_state(), state)


def test_lengths_of_cluster_features_do_not_matter():
    points = unit(40, seed=7)
    fair = ProtoFair(K, DIM)
    fair.initialise(points * torch.linspace(0.1, 100, 40)[:, None])
    assert torch.allclose(fair.prototypes, initialised().prototypes, atol=1e-5)
    assert torch.equal(fair.assign(points), fair.assign(1000 * points))


# What a caller can get wrong


def test_a_call_before_initialise():
    z, arguments = batch(8, 0)
    with pytest.raises(ValueError, match=r"call initialise\(cluster_features\)"):
        ProtoFair(K, DIM)(z, **arguments)


def test_clusters_are_asked_for_before_initialise_or_for_no_direction():
    with pytest.raises(ValueError, match=r"call initialise\(cluster_features\)"):
        ProtoFair(K, DIM).assign(unit(8))
    with pytest.raises(ValueError, match="cluster_features: expected finite"):
        initialised().assign(torch.full((8, DIM), torch.nan))


def test_a_state_of_before_initialise_is_noticed_even_after_good_calls():
    fair = initialised()
    z, arguments = batch(8, 0)
    fair(z, **arguments)
    fair.load_state_dict(ProtoFair(K, DIM, queue_size=10).state_dict())
    with pytest.raises(ValueError, match="call initialise"):
        fair(z, **arguments)


WRONG = {
    "z of another dimension": ({"z": unit(8, 5)}, r"z: expected shape \[n, 4\].*\[8, 5\]"),
    "z of one axis": ({"z": torch.ones(8)}, r"z: expected shape \[n, 4\].*\[8\]"),
    "no samples": ({"z": torch.ones(0, 4)}, r"n >= 1"),
    "integer z": ({"z": torch.ones(8, 4, dtype=torch.int64)}, "z: expected floating-point"),
    "cluster features of another dimension": ({"cluster_features": unit(8, 5)}, r"cluster_features: expected shape"),
    "fewer cluster features": ({"cluster_features": unit(7)}, "same n"),
    "one view's groups": ({"sensitive": torch.zeros(4, dtype=torch.int64)}, r"torch.cat\(\[s, s\]\)"),
    "groups as a column": ({"sensitive": torch.zeros(8, 1, dtype=torch.int64)}, r"sensitive \[n\]"),
    "groups as floats": ({"sensitive": torch.zeros(8)}, "sensitive: expected integer group ids, got torch.float32"),
    "groups as a list": ({"sensitive": [0] * 8}, "sensitive: expected a tensor, got list; torch.as_tensor"),
    "another device": ({"sensitive": torch.zeros(8, dtype=torch.int64, device="meta")}, "expected on cpu.*got meta"),
}
WRONG_VALUES = {
    "NaN in z": ({"z": unit(8).index_fill(0, torch.tensor([3]), torch.nan)}, "z: expected finite"),
    "z not normalised": ({"z": 2 * unit(8)}, r"z: expected rows of length 1, got one of 2;.*F.normalize"),
    "a z of zero": ({"z": unit(8).index_fill(0, torch.tensor([3]), 0)}, "z: expected a direction"),
    "infinity in cluster features": (
        {"cluster_features": unit(8).index_fill(0, torch.tensor([3]), torch.inf)},
        "cluster_features: expected finite",
    ),
    "a cluster feature of zero": (
        {"cluster_features": unit(8).index_fill(0, torch.tensor([3]), 0)},
        "cluster_features: expected a direction",
    ),
}


def call(fair, changed):
    z, arguments = batch(8, 0)
    return fair(**{"z": z, **arguments, **changed})


@pytest.mark.parametrize(("changed", "message"), WRONG.values(), ids=WRONG)
def test_wrong_shapes_types_and_devices_are_refused_on_every_call(changed, message):
    fair = initialised()
    call(fair, {})
    with pytest.raises(ValueError, match=message):
        call(fair, changed)


@pytest.mark.parametrize(("changed", "message"), WRONG_VALUES.values(), ids=WRONG_VALUES)
def test_wrong_values_are_refused_on_the_first_call(changed, message):
    fair = initialised()
    state = {name: value.clone() for name, value in fair.state_dict().items()}
    with pytest.raises(ValueError, match=message):
        call(fair, changed)
    assert all(torch.equal(value, state[name]) for name, value in fair.state_dict().items())
    with pytest.raises(ValueError, match=message):  # a refused call is not a first call
        call(fair, changed)


@pytest.mark.parametrize(("changed", "message"), WRONG_VALUES.values(), ids=WRONG_VALUES)
def test_wrong_values_are_refused_on_every_call_if_asked_for(changed, message):
    fair = initialised(validate=True)
    call(fair, {})
    with pytest.raises(ValueError, match=message):
        call(fair, changed)


def test_values_are_not_checked_again_unless_asked_for():
    fair = initialised()
    call(fair, {})
    assert call(fair, {"z": 2 * unit(8)}).isfinite()


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (unit(K - 1), "at least one sample for each of the 3 prototypes, got 2"),
        (unit(9, 5), r"cluster_features: expected shape \[n, 4\]"),
        (torch.ones(9, DIM, dtype=torch.int64), "floating-point"),
        (torch.full((9, DIM), torch.nan), "finite"),
        (torch.zeros(9, DIM), "a direction in each row"),
        (1e25 * unit(9), "rows whose length is a float32"),
        ([[1.0] * DIM] * 9, "expected a tensor, got list"),
    ],
)
def test_initialise_refuses_what_it_cannot_cluster(features, message):
    with pytest.raises(ValueError, match=message):
        ProtoFair(K, DIM).initialise(features)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_prototypes": 0}, "num_prototypes: expected at least 1, got 0"),
        ({"dim": 0}, "dim: expected at least 1"),
        ({"cluster_dim": 0}, "cluster_dim: expected at least 1"),
        ({"queue_size": 0}, "queue_size: expected at least 1"),
        ({"temperature": 0}, "temperature: expected above 0"),
        ({"temperature": float("nan")}, "temperature: expected above 0"),
        ({"momentum": 1}, r"momentum: expected in \[0, 1\)"),
        ({"momentum": -0.1}, r"momentum: expected in \[0, 1\)"),
        ({"update": "never"}, "update: expected 'after' or 'before'"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(ValueError, match=message):
        ProtoFair(**{"num_prototypes": K, "dim": DIM, **options})


def test_values_are_checked_again_after_initialise():
    fair = initialised()
    call(fair, {})
    fair.initialise(unit(9, seed=1))
    with pytest.raises(ValueError, match="z: "):
        call(fair, {"z": 2 * unit(8)})


def test_prototypes_stay_the_tensor_they_are():
    """What holds them, an exporter or a compiled step, must see them move."""
    fair = initialised()
    held, before = fair.prototypes, fair.prototypes.clone()
    call(fair, {})
    moved = held.clone()
    assert not torch.equal(before, moved)
    fair.initialise(unit(9, seed=1))
    assert fair.prototypes is held
    assert not torch.equal(moved, held)
