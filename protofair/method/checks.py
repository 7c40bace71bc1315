"""What a caller can get wrong, each as a ValueError that says what was expected."""

import torch
from torch import Tensor

# Far above the rounding of bfloat16, far below anything that was not normalised.
UNIT_TOLERANCE = 0.01


def check_tensor(name: str, value: object) -> None:
    if not isinstance(value, Tensor):
        raise ValueError(f"{name}: expected a tensor, got {type(value).__name__}; torch.as_tensor makes one.")


def check_features(name: str, features: Tensor, dim: int) -> None:
    """A floating-point [n, dim]. Needs nothing from the device."""
    check_tensor(name, features)
    if features.ndim != 2 or features.shape[1] != dim or len(features) == 0:
        raise ValueError(f"{name}: expected shape [n, {dim}] with n >= 1, got {list(features.shape)}.")
    if not features.is_floating_point():
        raise ValueError(f"{name}: expected floating-point features, got {features.dtype}.")


def check_batch(z: Tensor, cluster_features: Tensor, sensitive: Tensor, prototypes: Tensor, *, dim: int) -> None:
    """Shapes, types and devices of a step's arguments. Needs nothing from the device."""
    check_features("z", z, dim)
    check_features("cluster_features", cluster_features, prototypes.shape[1])
    check_tensor("sensitive", sensitive)
    if sensitive.is_floating_point() or sensitive.is_complex():
        raise ValueError(
            f"sensitive: expected integer group ids, got {sensitive.dtype}; sensitive.long() if they are whole."
        )
    if not len(z) == len(cluster_features) == len(sensitive) or sensitive.ndim != 1:
        raise ValueError(
            "expected z [n, d], cluster_features [n, c] and sensitive [n] of the same n, "
            f"got {list(z.shape)}, {list(cluster_features.shape)} and {list(sensitive.shape)}. "
            "With two views, repeat sensitive: torch.cat([s, s])."
        )
    for name, tensor in {"z": z, "cluster_features": cluster_features, "sensitive": sensitive}.items():
        if tensor.device != prototypes.device:
            raise ValueError(
                f"{name}: expected on {prototypes.device}, where ProtoFair is, got {tensor.device}. "
                "fair.to(device) moves ProtoFair."
            )


@torch.no_grad()
def check_directions(name: str, features: Tensor) -> None:
    """Finite, and no row without a direction. Waits for the device."""
    if not features.isfinite().all():
        raise ValueError(f"{name}: expected finite values, got NaN or infinity.")
    if not features.any(dim=1).all():
        raise ValueError(f"{name}: expected a direction in each row, got a row of zeros.")
    if not features.float().norm(dim=1).isfinite().all():
        raise ValueError(f"{name}: expected rows whose length is a float32, got a longer one.")


@torch.no_grad()
def check_unit_length(name: str, features: Tensor) -> None:
    """Rows of length 1. Waits for the device."""
    lengths = features.float().norm(dim=1)
    worst = lengths[(lengths - 1).abs().argmax()].item()
    if abs(worst - 1) > UNIT_TOLERANCE:
        raise ValueError(
            f"{name}: expected rows of length 1, got one of {worst:.4g}; F.normalize(z, dim=1) makes them so."
        )
