"""The configuration of any objective: its `name` selects the keys it may have."""

from typing import Annotated

from pydantic import Field

from protofair.objectives.fscl import FSCLConfig, FSCLPlusConfig, FSCLStarConfig
from protofair.objectives.simclr import SimCLRConfig
from protofair.objectives.supcon import SupConConfig

ObjectiveConfig = Annotated[
    SupConConfig | SimCLRConfig | FSCLConfig | FSCLPlusConfig | FSCLStarConfig, Field(discriminator="name")
]
