"""Label tables to split."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from protofair.data.utkface import label_table


@pytest.fixture
def faces() -> Callable[..., pd.DataFrame]:
    """Make the label table of UTKFace names, `counts[gender][race]` of each."""

    def make(counts: list[list[int]], seed: int = 0) -> pd.DataFrame:
        rng = np.random.default_rng(seed)
        names = [
            f"{rng.integers(0, 100)}_{gender}_{race}_2017{number:013}.jpg.chip.jpg"
            for gender, row in enumerate(counts)
            for race, count in enumerate(row)
            for number in range(count)
        ]
        return label_table(names)[0]

    return make
