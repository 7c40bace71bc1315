"""A small step for every method, and the projects and processes that the training stages are tested with."""

import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import nn

from protofair.baselines.method import Method, Step
from protofair.objectives import Encoder

_spec = importlib.util.spec_from_file_location("train_conftest", Path(__file__).parents[1] / "train" / "conftest.py")
assert _spec
assert _spec.loader
_train = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_train)
_one_thread, make_project, project = _train._one_thread, _train.make_project, _train.project

TARGET = torch.tensor([0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0])
SENSITIVE = torch.tensor([0, 0, 1, 1, 0, 1, 0, 1, 0, 0, 1, 1])


@pytest.fixture
def encoder() -> Encoder:
    """Without batch norm, so that a forward pass changes nothing: [n, 3, 8, 8] to [n, 6]."""
    torch.manual_seed(0)
    return Encoder(nn.Sequential(nn.Conv2d(3, 6, 3), nn.Tanh(), nn.AdaptiveAvgPool2d(1), nn.Flatten()), 6)


@pytest.fixture
def make_step() -> Callable[..., Step]:
    """make_step(epochs_left=20): twelve images and their labels, with a generator that starts anew."""

    def make(*, epochs_left: int = 20) -> Step:
        images = torch.randn(12, 3, 8, 8, generator=torch.Generator().manual_seed(1))
        images[:, 0] += TARGET[:, None, None]
        images[:, 1] += SENSITIVE[:, None, None]
        return Step(images, TARGET, SENSITIVE, epochs_left, torch.Generator().manual_seed(2))

    return make


@pytest.fixture
def moved() -> Callable[[Method, Callable[[], object]], set[str]]:
    """moved(method, action): the parts of the method whose parameters or statistics an action changes."""

    def parts(method: Method, action: Callable[[], object]) -> set[str]:
        before = {name: value.clone() for name, value in method.state_dict().items()}
        action()
        changed = (name for name, value in method.state_dict().items() if not torch.equal(value, before[name]))
        return {".".join(name.split(".")[:3]) if name.startswith("encoder") else name.split(".")[0] for name in changed}

    return parts
