"""Every objective by the configuration that builds it, told apart by `name`. A new one is a file and a member here."""

from typing import Annotated

from pydantic import Field

from protofair.objectives.barlow_twins import BarlowTwinsConfig
from protofair.objectives.byol import BYOLConfig
from protofair.objectives.ce import CEConfig
from protofair.objectives.fscl import FSCLConfig, FSCLPlusConfig, FSCLStarConfig
from protofair.objectives.moco import MoCoConfig
from protofair.objectives.simclr import SimCLRConfig
from protofair.objectives.supcon import SupConConfig

ObjectiveConfig = Annotated[
    SupConConfig
    | SimCLRConfig
    | BarlowTwinsConfig
    | BYOLConfig
    | MoCoConfig
    | FSCLConfig
    | FSCLPlusConfig
    | FSCLStarConfig
    | CEConfig,
    Field(discriminator="name"),
]
