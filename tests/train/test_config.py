import pytest

from protofair.core.errors import UserError
from protofair.core.strict import parse
from protofair.train.config import Augment, Fair, Optimiser, Warmup, check_fits

WARMUP = {"data": "toy-32", "objective": {"name": "supcon", "target": "Big_Nose"}}
FAIR = {"warmup": "w", "sensitive": "Male"}


def test_defaults_are_the_papers():
    warmup, fair = parse(Warmup, WARMUP, where="p"), parse(Fair, FAIR, where="p")
    assert warmup.optimiser == Optimiser(lr=0.1, momentum=0.9, weight_decay=1e-4, batch_size=128, ramp_epochs=0)
    assert warmup.augment == Augment(
        crop_scale=(0.2, 1.0), crop_ratio=(3 / 4, 4 / 3), flip=0.5, jitter=0.8, brightness=0.4, contrast=0.4,
        saturation=0.4, hue=0.1, grayscale=0.2,
    )  # fmt: skip
    assert (warmup.encoder.name, warmup.epochs, warmup.kept_epochs, warmup.seed) == ("resnet18", 100, (100,), 0)
    assert (fair.weight, fair.num_prototypes, fair.momentum, fair.temperature) == (0.3, 10, 0.9, 0.07)
    assert (fair.queue_batches, fair.reinit_every, fair.cluster_space, fair.views) == (4, 5, "head", "both")
    assert (fair.from_epoch, fair.epochs, fair.lr.mode, fair.queue_on_reinit) == (100, 5, "tail", "empty")


def test_kept_epochs_are_sorted_and_single():
    assert parse(Warmup, {**WARMUP, "keep": [100, 10, 100]}, where="p").kept_epochs == (10, 100)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epochs": 0}, "'epochs'"),
        ({"keep": [10, 101]}, "'keep': epoch 101 is not between 1 and epochs = 100"),
        ({"keep": [0]}, "'keep': epoch 0"),
        ({"optimiser": {"lr": 0}}, "'optimiser.lr'"),
        ({"optimiser": {"ramp_epochs": 101}}, "'epochs': fewer than optimiser.ramp_epochs = 101"),
        ({"optimiser": {"learning_rate": 1}}, "unknown key 'optimiser.learning_rate'"),
        (
            {"augment": {"crop_scale": [0.5, 0.2]}},
            "'augment.crop_scale': expected [low, high] with 0 < low <= high <= 1",
        ),
        ({"augment": {"hue": 0.6}}, "'augment.hue'"),
        ({"encoder": {"name": "resnet50"}}, "'encoder.name'"),
        ({"objective": {"name": "supcon"}}, "target' is missing"),
    ],
)
def test_a_wrong_warmup_is_refused_with_the_key(change, message):
    with pytest.raises(UserError) as caught:
        parse(Warmup, WARMUP | change, where="plan.yaml: warmup x")
    assert str(caught.value).startswith("plan.yaml: warmup x: ")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weight": -0.1}, "'weight'"),
        ({"num_prototypes": 0}, "'num_prototypes'"),
        ({"temperature": 0}, "'temperature'"),
        ({"momentum": 1.0}, "'momentum'"),
        ({"lr": {"mode": "constant"}}, "'lr.value': the mode 'constant' needs one"),
        ({"lr": {"mode": "tail", "value": 0.1}}, "'lr.value': the mode 'tail' has none"),
        ({"wieght": 0.3}, "Did you mean 'weight'?"),
    ],
)
def test_a_wrong_fair_phase_is_refused_with_the_key(change, message):
    with pytest.raises(UserError) as caught:
        parse(Fair, FAIR | change, where="plan.yaml: fair x")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"from_epoch": 101}, "'from_epoch': 101 is above the 100 epochs of the warm-up 'w'"),
        ({"from_epoch": 50}, "keeps the epochs 10, 100, not 50. Add 50 to its 'keep'."),
        ({"data": "toy-64"}, "'data': 'toy-64', but the warm-up 'w' was trained on 'toy-32'"),
    ],
)
def test_a_fair_phase_that_cannot_follow_its_warmup_is_refused(change, message):
    warmup = Warmup(**WARMUP, keep=(10, 100))
    check_fits(Fair(**FAIR, data="toy-32", from_epoch=10), warmup, where="p")
    with pytest.raises(UserError) as caught:
        check_fits(Fair(**{**FAIR, **change}), warmup, where="p")
    assert message in str(caught.value)
