"""The alpha split of UTKFace: a training set with a chosen bias, and balanced validation and test sets."""

from protofair.data.split.build import Split, build_split

__all__ = ["Split", "build_split"]
