"""Every objective by the name it has in a configuration.

A new one is a file with its loss, its options and its class, a line here and a line in `config.py`.
"""

from collections.abc import Callable

from protofair.objectives.barlow_twins import BarlowTwins
from protofair.objectives.byol import BYOL
from protofair.objectives.ce import CE
from protofair.objectives.config import ObjectiveConfig
from protofair.objectives.encoder import Encoder
from protofair.objectives.fscl import FSCL, FSCLPlus, FSCLStar
from protofair.objectives.moco import MoCo
from protofair.objectives.objective import Objective
from protofair.objectives.simclr import SimCLR
from protofair.objectives.supcon import SupCon

OBJECTIVES: dict[str, Callable[..., Objective]] = {
    "supcon": SupCon,
    "simclr": SimCLR,
    "barlow-twins": BarlowTwins,
    "byol": BYOL,
    "moco": MoCo,
    "fscl": FSCL,
    "fscl-plus": FSCLPlus,
    "fscl-star": FSCLStar,
    "ce": CE,
}


def build(config: ObjectiveConfig, encoder: Encoder) -> Objective:
    """The objective that `config` describes, with heads that fit the encoder."""
    return OBJECTIVES[config.name](encoder, config=config)
