"""Every method by the configuration that builds it, told apart by `name`. A new one is a file and a member here."""

from typing import Annotated

from pydantic import Field

from protofair.baselines.fd_vae import FDVAEConfig
from protofair.baselines.lnl import LNLConfig
from protofair.baselines.mfd import MFDConfig

MethodConfig = Annotated[LNLConfig | FDVAEConfig | MFDConfig, Field(discriminator="name")]
