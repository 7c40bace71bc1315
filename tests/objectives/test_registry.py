"""What every objective owes to the training loop."""

import copy
from typing import get_args

import pytest
import torch
from pydantic import TypeAdapter, ValidationError
from torch import nn

from protofair.objectives import ObjectiveConfig

CONFIGURATIONS = [
    {"name": "supcon", "target": "Big_Nose"},
    {"name": "simclr"},
    {"name": "barlow-twins", "width": 32},
    {"name": "byol", "hidden": 32, "out": 8},
    {"name": "moco", "queue_size": 24},
    {"name": "fscl", "target": "Big_Nose", "sensitive": "Male"},
    {"name": "fscl-plus", "target": "Big_Nose", "sensitive": "Male"},
    {"name": "fscl-star", "sensitive": "Male"},
    {"name": "ce", "target": "Big_Nose"},
]
TARGET = torch.tensor([0, 1] * 6)
SENSITIVE = torch.tensor([0, 0, 1] * 4)


def parse(value):
    return TypeAdapter(ObjectiveConfig).validate_python(value)


@pytest.fixture(params=CONFIGURATIONS, ids=lambda configuration: configuration["name"])
def config(request):
    return parse(request.param)


def run(objective, encoder, views):
    return objective(encoder, views, target=TARGET, sensitive=SENSITIVE)


def train(objective, encoder, views, steps):
    """Losses of some steps on the same batch."""
    parameters = [p for p in (*encoder.parameters(), *objective.parameters()) if p.requires_grad]
    optimiser = torch.optim.SGD(parameters, lr=0.01, momentum=0.9)
    losses = []
    for step in range(steps):
        optimiser.zero_grad()
        output = run(objective, encoder, views)
        output.loss.backward()
        optimiser.step()
        objective.after_step(encoder, progress=(step + 1) / steps)
        losses.append(output.loss.item())
    return losses


def test_every_objective_is_tried_here():
    members = get_args(get_args(ObjectiveConfig)[0])
    names = [get_args(member.model_fields["name"].annotation)[0] for member in members]
    assert sorted(names) == sorted(configuration["name"] for configuration in CONFIGURATIONS)


def test_output(config, encoder, views):
    objective = config.build(encoder)
    output = run(objective, encoder, views)
    assert output.loss.shape == ()
    assert output.loss.dtype == torch.float32
    assert output.features.shape == (24, 16)
    assert output.z.shape == (24, objective.z_dim)
    torch.testing.assert_close(output.z.norm(dim=1), torch.ones(24))
    assert not any(term.requires_grad for term in output.terms.values())


def test_z_and_features_of_both_views_carry_a_gradient_to_the_encoder(config, encoder, views):
    objective = config.build(encoder)
    first, second = (view.clone().requires_grad_() for view in views)
    for which in ("z", "features"):
        output = run(objective, encoder, (first, second))
        weights = torch.randn(getattr(output, which).shape, generator=torch.Generator().manual_seed(0))
        gradients = torch.autograd.grad(
            (getattr(output, which) * weights).sum(), [first, second, *encoder.parameters()]
        )
        assert all(gradient.abs().sum() > 0 for gradient in gradients)


def test_rows_of_both_views_are_in_order(config, encoder, views):
    # In evaluation mode no row depends on another, so that features are those of the views one after the other.
    objective = config.build(encoder).eval()
    encoder.eval()
    features = torch.cat([encoder(view) for view in views])
    torch.testing.assert_close(run(objective, encoder, views).features, features)


def test_the_encoder_is_not_part_of_the_objective(config, encoder):
    objective = config.build(encoder)
    own = {id(tensor) for tensor in (*objective.parameters(), *objective.buffers())}
    assert own.isdisjoint(id(tensor) for tensor in (*encoder.parameters(), *encoder.buffers()))


def test_a_few_steps_lower_the_loss(config, encoder, views):
    torch.manual_seed(0)
    losses = train(config.build(encoder), encoder, views, steps=12)
    # MoCo's first losses are against the random start of its queue, which is easier than against real keys.
    assert losses[2] - losses[-1] > 0.05 * abs(losses[2])


def test_state_dict_round_trip_continues_exactly(config, encoder, views):
    torch.manual_seed(0)
    objective = config.build(encoder)
    train(objective, encoder, views, steps=3)
    other_encoder = copy.deepcopy(encoder)
    for layer in other_encoder.modules():
        if isinstance(layer, nn.Conv2d | nn.BatchNorm2d):
            layer.reset_parameters()
    other = config.build(other_encoder)
    other_encoder.load_state_dict(encoder.state_dict())
    other.load_state_dict(objective.state_dict())
    assert train(other, other_encoder, views, steps=3) == train(objective, encoder, views, steps=3)
    for key, value in objective.state_dict().items():
        assert torch.equal(other.state_dict()[key], value), key


def test_the_same_seed_gives_the_same_objective(config, encoder):
    states = []
    for seed in (5, 5, 6):
        torch.manual_seed(seed)
        states.append(config.build(encoder).state_dict())
    assert all(torch.equal(states[0][key], states[1][key]) for key in states[0])
    assert not all(torch.equal(states[0][key], states[2][key]) for key in states[0])


def test_autocast(config, encoder, views):
    objective = config.build(encoder)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        output = run(objective, encoder, views)
    output.loss.backward()
    assert output.loss.dtype == torch.float32
    assert output.z.dtype == torch.float32
    assert all(parameter.grad.isfinite().all() for parameter in encoder.parameters())


def test_labels_it_needs(config, encoder, views):
    objective = config.build(encoder)
    assert objective.needs_target == (config.attribute("target") is not None)
    assert objective.needs_sensitive == (config.attribute("sensitive") is not None)
    if objective.needs_target or objective.needs_sensitive:
        with pytest.raises(ValueError, match="label that was not given"):
            objective(encoder, views)
    else:
        assert objective(encoder, views).loss.isfinite()


def test_the_label_of_an_image_counts_for_both_views(encoder, views):
    objective = parse({"name": "supcon", "target": "Big_Nose"}).build(encoder)
    by_image = objective(encoder, views, target=torch.arange(12)).loss
    # A target of its own for every image leaves the other view as the only positive: SimCLR.
    simclr = parse({"name": "simclr"}).build(encoder)
    simclr.load_state_dict(objective.state_dict())
    torch.testing.assert_close(by_image, simclr(encoder, views).loss)


@pytest.mark.parametrize(
    ("name", "linear"),
    [
        ("supcon", {"head": [(512, 512), (512, 128)]}),
        ("moco", {"head": [(512, 512), (512, 128)]}),
        ("barlow-twins", {"projector": [(512, 2048), (2048, 2048), (2048, 2048)]}),
        ("byol", {"projector": [(512, 4096), (4096, 256)], "predictor": [(256, 4096), (4096, 256)]}),
    ],
)
def test_default_heads_are_the_papers(name, linear, encoder):
    encoder.feature_dim = 512
    with torch.device("meta"):
        objective = parse({"name": name, **({"target": "Big_Nose"} if name == "supcon" else {})}).build(encoder)
    for head, widths in linear.items():
        layers = [layer for layer in getattr(objective, head) if isinstance(layer, nn.Linear)]
        assert [(layer.in_features, layer.out_features) for layer in layers] == widths


@pytest.mark.parametrize(
    "value",
    [
        {"name": "simsiam"},
        {"name": "supcon"},
        {"name": "simclr", "target": "Big_Nose"},
        {"name": "simclr", "temperature": 0},
        {"name": "byol", "momentum": 1.1},
    ],
)
def test_refused_configurations(value):
    with pytest.raises(ValidationError):
        parse(value)
