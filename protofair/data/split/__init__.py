"""The alpha split of UTKFace: a training set with a chosen bias, and balanced validation and test sets."""

from protofair.data.split.build import Split, build_split
from protofair.data.split.config import SplitConfig

__all__ = ["Split", "SplitConfig", "build_split"]
