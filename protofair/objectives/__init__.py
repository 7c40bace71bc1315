"""Base objectives and encoders: what a representation is trained with before and beside the ProtoFair term."""

from protofair.objectives.encoder import Encoder, EncoderConfig, build_encoder
from protofair.objectives.heads import projection_head
from protofair.objectives.objective import Objective, Output
from protofair.objectives.registry import ObjectiveConfig

__all__ = [
    "Encoder",
    "EncoderConfig",
    "Objective",
    "ObjectiveConfig",
    "Output",
    "build_encoder",
    "projection_head",
]
