"""Each example runs, and ProtoFair changes nothing of the base it is added to."""

import importlib.util
import math
from pathlib import Path

import pytest
import torch

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


@pytest.fixture(params=EXAMPLES, ids=lambda path: path.stem)
def main(request):
    spec = importlib.util.spec_from_file_location(request.param.stem, request.param)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.main


@pytest.fixture
def double():
    """Let the example compute in float64."""
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def test_the_four_are_there():
    assert [path.stem for path in EXAMPLES] == [
        "lightly_barlow_twins",
        "lightly_byol",
        "lightly_simclr",
        "plain_pytorch",
    ]


def test_it_runs_through_warm_up_and_fair_phase(main):
    _, base_losses, fair_losses = main(warmup_steps=3, fair_steps=4)
    assert len(base_losses) == 7
    assert len(fair_losses) == 4
    assert all(math.isfinite(loss) for loss in base_losses + fair_losses)
    assert min(fair_losses) > 0


def test_with_weight_zero_the_base_trains_as_it_does_alone(main, double):
    """Every random number, every loss, every weight; but for the last bits, since adding a zero gradient may change the
    memory layout of a gradient, and with it the order in which a matrix product sums."""
    encoder, with_protofair, _ = main(warmup_steps=3, fair_steps=4, weight=0.0)
    alone, without, fair_losses = main(warmup_steps=7, fair_steps=0)
    assert fair_losses == []
    assert with_protofair[:4] == without[:4]
    assert with_protofair == pytest.approx(without, rel=1e-12)
    for name, value in alone.state_dict().items():
        assert torch.allclose(encoder.state_dict()[name], value, rtol=1e-12, atol=1e-14), name


def test_the_term_reaches_the_encoder(main):
    """One fair step: the encoders can differ by the gradient of the term only."""
    with_term, _, _ = main(warmup_steps=2, fair_steps=1)
    without, _, _ = main(warmup_steps=2, fair_steps=1, weight=0.0)
    assert all(not torch.equal(a, b) for a, b in zip(with_term.parameters(), without.parameters(), strict=True))


def test_training_with_the_term_lowers_it(main):
    _, _, with_term = main(warmup_steps=5, fair_steps=15)
    _, _, without = main(warmup_steps=5, fair_steps=15, weight=0.0)
    assert with_term[-1] < 0.95 * without[-1]
