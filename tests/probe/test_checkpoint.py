import hashlib
import json

import pytest
import torch

from protofair.errors import UserError
from protofair.probe.checkpoint import checkpoint_path, load_encoder
from protofair.probe.config import Checkpoint

BASE = Checkpoint(stage="warmup", key="base", epoch=3)


@pytest.fixture
def path(world):
    return checkpoint_path("demo", BASE)


def change(path, **changes):
    torch.save(torch.load(path, weights_only=True) | changes, path)


def test_a_checkpoint_gives_its_encoder_frozen(path):
    trained = load_encoder(path, BASE)
    assert not trained.encoder.training
    assert not any(parameter.requires_grad for parameter in trained.encoder.parameters())
    for name, weights in torch.load(path, weights_only=True)["encoder"].items():
        assert torch.equal(trained.encoder.state_dict()[name], weights)
    assert trained.config["encoder"] == {"name": "resnet-narrow"}
    assert trained.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_encoder_of_a_fair_run_is_its_warm_ups(path):
    change(path, config=json.dumps({"fair": {}, "warmup": {"encoder": {"name": "resnet-narrow"}}}))
    assert load_encoder(path, BASE).encoder.feature_dim == 256


def test_a_missing_checkpoint_names_the_stage_that_makes_it(world):
    fair = Checkpoint(stage="fair", key="base-male", epoch=105)
    path = checkpoint_path("demo", fair)
    assert path.as_posix() == "results/demo/fair/base-male/checkpoints/epoch-105.pt"
    with pytest.raises(UserError, match=r"epoch-105.pt: no such checkpoint. Train it: protofair fair base-male"):
        load_encoder(path, fair)


def test_a_missing_epoch_names_those_that_were_kept(world):
    other = BASE.model_copy(update={"epoch": 7})
    with pytest.raises(UserError, match=r"epoch-007.pt: no such .* was kept \(epoch-003.pt\)"):
        load_encoder(checkpoint_path("demo", other), other)


@pytest.mark.parametrize("content", [b"", b"not a checkpoint", b"PK\x03\x04 broken"])
def test_a_damaged_file_is_refused(path, content):
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"epoch-003.pt: damaged, or not a checkpoint. Delete it and train again"):
        load_encoder(path, BASE)


def test_a_truncated_checkpoint_is_refused(path):
    path.write_bytes(path.read_bytes()[:-2000])
    with pytest.raises(UserError, match="damaged"):
        load_encoder(path, BASE)


def test_code_in_a_checkpoint_is_not_run(path):
    torch.save({"format": 1, "config": "{}", "encoder": print}, path)
    with pytest.raises(UserError, match="damaged, or not a checkpoint"):
        load_encoder(path, BASE)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 2}, "format: expected 1, found 2"),
        ({"config": "not JSON"}, "holds no encoder with its configuration"),
        ({"config": "{}"}, "holds no encoder with its configuration"),
        ({"config": '{"encoder": {"name": "resnet19"}}'}, "config.encoder: 'name'"),
        ({"config": '{"encoder": {"name": "resnet18"}}'}, "encoder: not the weights of a 'resnet18'"),
        ({"encoder": {}}, "encoder: not the weights of a 'resnet-narrow'"),
    ],
)
def test_a_checkpoint_of_another_kind_is_refused(path, changes, message):
    change(path, **changes)
    with pytest.raises(UserError, match=message):
        load_encoder(path, BASE)


def test_a_checkpoint_that_is_no_dictionary_is_refused(path):
    torch.save([1, 2], path)
    with pytest.raises(UserError, match="format: expected 1, found list"):
        load_encoder(path, BASE)
