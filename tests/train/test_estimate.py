import pytest
import torch

import protofair.train.estimate as estimate
from protofair.core.errors import UserError
from protofair.objectives import EncoderConfig
from protofair.train.stage import Options

FULL = EncoderConfig()


def test_a_full_size_run_is_refused_with_how_long_it_would_take(monkeypatch):
    monkeypatch.setattr(estimate, "seconds_per_view", lambda encoder, size: 0.05)
    with pytest.raises(UserError) as caught:
        estimate.refuse_long_run(FULL, size=(128, 128), images=162_770, epochs=100)
    text = str(caught.value)
    assert "100 epochs of 162,770 images of 128 x 128 px with resnet18 would take about 19 days" in text
    assert "--on-cpu" in text


def test_a_small_one_is_not(monkeypatch):
    monkeypatch.setattr(estimate, "seconds_per_view", lambda encoder, size: 0.05)
    estimate.refuse_long_run(FULL, size=(128, 128), images=1000, epochs=10)


def test_the_rate_is_measured_on_the_encoder_and_disturbs_nothing(project):
    state = torch.get_rng_state()
    assert estimate.seconds_per_view(project.warmup_config().encoder, (8, 8)) > 0
    assert torch.equal(torch.get_rng_state(), state)


@pytest.mark.skipif(torch.cuda.is_available(), reason="needs a machine without a GPU: CUDA_VISIBLE_DEVICES= pytest")
def test_a_stage_refuses_before_it_writes_and_on_cpu_overrules(project, monkeypatch):
    monkeypatch.setattr(estimate, "LIMIT", 0.0)
    with pytest.raises(UserError, match="--on-cpu"):
        project.warmup()
    assert not (project.path / ".cache").exists()
    assert project.warmup(options=Options(on_cpu=True))
