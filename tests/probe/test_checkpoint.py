import hashlib
import json
from pathlib import Path

import pytest
import torch

from protofair.core.errors import UserError
from protofair.probe.checkpoint import load_encoder
from protofair.probe.config import Checkpoint

BASE = Checkpoint(stage="warmup", key="base", epoch=3)


@pytest.fixture
def path(world):
    return Path("results/demo/warmup/base/checkpoints/epoch-003.pt")


@pytest.fixture
def load(write_plan):
    """Load the checkpoint of the small world."""
    return lambda: load_encoder(write_plan(), BASE)


def change(path, **changes):
    torch.save(torch.load(path, weights_only=True) | changes, path)


def test_a_checkpoint_gives_its_encoder_frozen(path, load):
    trained = load()
    assert not trained.encoder.training
    assert not any(parameter.requires_grad for parameter in trained.encoder.parameters())
    for name, weights in torch.load(path, weights_only=True)["encoder"].items():
        assert torch.equal(trained.encoder.state_dict()[name], weights)
    assert trained.config["warmup"]["encoder"] == {"name": "resnet-narrow"}
    assert trained.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_missing_checkpoint_names_the_stage_that_makes_it(write_plan):
    fair = Checkpoint(stage="fair", key="base-male", epoch=105)
    message = (
        "results/demo/fair/base-male/checkpoints/epoch-105.pt: no such checkpoint. Train it: protofair fair base-male"
    )
    with pytest.raises(UserError, match=message):
        load_encoder(write_plan(), fair)


def test_a_missing_epoch_names_those_that_were_kept(write_plan):
    with pytest.raises(UserError, match=r"epoch-007.pt: no such .* was kept \(epoch-003.pt\)"):
        load_encoder(write_plan(), BASE.model_copy(update={"epoch": 7}))


@pytest.mark.parametrize("content", [b"", b"not a checkpoint", b"PK\x03\x04 broken"])
def test_a_damaged_file_is_refused(path, load, content):
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"epoch-003.pt: damaged, or not a checkpoint. Delete it and train again"):
        load()


def test_a_truncated_checkpoint_is_refused(path, load):
    path.write_bytes(path.read_bytes()[:-2000])
    with pytest.raises(UserError, match="damaged"):
        load()


def test_code_in_a_checkpoint_is_not_run(path, load):
    torch.save({"format": 1, "config": "{}", "encoder": print}, path)
    with pytest.raises(UserError, match="damaged, or not a checkpoint"):
        load()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 2}, "format: expected 1, found 2"),
        ({"config": "not JSON"}, "holds no encoder with its configuration"),
        ({"config": "{}"}, "holds no encoder with its configuration"),
        ({"encoder": {}}, "encoder: not the weights of a 'resnet-narrow'"),
        (
            {"config": '{"stage": "fair", "warmup": {"encoder": {"name": "resnet-narrow"}}}'},
            "epoch-003.pt: trained by the stage 'fair'. Delete it and train again: protofair warmup base",
        ),
        ({"epoch": 2}, r"epoch-003.pt: holds epoch 2\. Delete it and train again: protofair warmup base"),
    ],
)
def test_a_checkpoint_of_another_kind_is_refused(path, load, changes, message):
    change(path, **changes)
    with pytest.raises(UserError, match=message):
        load()


def test_a_checkpoint_that_is_no_dictionary_is_refused(path, load):
    torch.save([1, 2], path)
    with pytest.raises(UserError, match="format: expected 1, found list"):
        load()


@pytest.mark.parametrize(
    ("name", "message"),
    [("resnet19", "config.warmup.encoder: 'name'"), ("resnet18", "encoder: not the weights of a 'resnet18'")],
)
def test_an_encoder_that_does_not_fit_its_weights_is_refused(path, write_plan, name, message):
    change(path, config=json.dumps({"stage": "warmup", "warmup": {"encoder": {"name": name}}}))
    with pytest.raises(UserError, match=message):
        load_encoder(write_plan(warmup={}), BASE)


def test_a_checkpoint_of_another_configuration_is_refused(path, write_plan):
    plan = write_plan(warmup={"base": {"data": "tiny", "epochs": 100}})
    with pytest.raises(UserError, match=r"trained with another configuration: 'warmup.epochs' is 3, the plan says 100"):
        load_encoder(plan, BASE)
