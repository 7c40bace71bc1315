from dataclasses import replace

import numpy as np
import pytest

from protofair.data.toy.chests import Chest, draw_chest

HEALTHY = Chest(male=True, age=40, frontal=True, findings=frozenset(), pneumothorax=0.0)


def drawn(chest: Chest) -> np.ndarray:
    return draw_chest(chest, np.random.default_rng(5), size=128).astype(int)


def test_a_chest_is_grey_and_its_lungs_are_darker_than_its_heart() -> None:
    image = drawn(HEALTHY)
    assert image.shape == (128, 128)
    assert image[50:70, 85:95].mean() + 40 < image[70:80, 60:70].mean()


@pytest.mark.parametrize(
    "finding", ["Atelectasis", "Cardiomegaly", "Effusion", "Infiltration", "Nodule", "Pleural_Thickening"]
)
def test_a_finding_is_a_bright_shape(finding: str) -> None:
    change = drawn(replace(HEALTHY, findings=frozenset({finding}))) - drawn(HEALTHY)
    assert (change > 20).sum() > 20 + 10 * (change < -20).sum()


def test_pneumothorax_is_dark_air_that_grows_with_its_strength() -> None:
    dark = [(drawn(replace(HEALTHY, pneumothorax=air)) - drawn(HEALTHY) < -8).sum() for air in (0.0, 0.6, 1.0)]
    assert dark[0] == 0
    assert 20 < dark[1] < dark[2]


@pytest.mark.parametrize("change", [{"male": False}, {"frontal": False}, {"age": 80.0}])
def test_sex_view_and_age_can_be_seen(change: dict) -> None:
    assert np.abs(drawn(replace(HEALTHY, **change)) - drawn(HEALTHY)).mean() > 0.3
