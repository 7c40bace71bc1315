"""Let torchvision be imported beside a torch without CUDA.

PyPI's torchvision is built for CUDA. Beside the CPU build of torch its compiled operators do not load, and its own
import fails while it registers shape functions for two of them. Declaring those two signatures is enough to use its
models, transforms and data sets; the operators themselves stay unavailable. Import this module before torchvision.
"""

import importlib.util

import torch

# The library object keeps the declarations alive: they go when it is collected.
_declared = torch.library.Library("torchvision", "FRAGMENT")


def _operators_missing() -> bool:
    if importlib.util.find_spec("torchvision") is None or hasattr(torch.ops.torchvision, "nms"):
        return False
    return torch.version.cuda is None


if _operators_missing():
    for _name in ("nms", "qnms"):
        _declared.define(f"{_name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
