"""What is trained, and the kept checkpoint that a later stage reads."""

import json
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor, nn

from protofair.core.archive import load_archive
from protofair.core.errors import UserError
from protofair.objectives import Output, build_encoder, projection_head
from protofair.objectives.adversary import Adversary
from protofair.train.config import Warmup
from protofair.train.device import autocast

FORMAT = 1
CLUSTER_DIM = 128
PARTS = ("encoder", "objective", "cluster_head")

Views = tuple[Tensor, Tensor]
Labels = dict[str, Tensor]
Space = Literal["head", "contrastive", "encoder"]


class Networks(nn.Module):
    """The encoder f, the base objective with its heads, the cluster head h, and an adversary if there is one.

    No gradient ever reaches the cluster head (open point 1): it is a random projection, fixed by the seed. Without a
    gradient neither weight decay nor momentum moves it.
    """

    def __init__(self, warmup: Warmup) -> None:
        super().__init__()
        torch.manual_seed(warmup.seed)
        self.warmup = warmup
        self.encoder = build_encoder(warmup.encoder.name)
        self.objective = warmup.objective.build(self.encoder)
        dim = self.encoder.feature_dim
        self.cluster_head = projection_head(dim, dim, CLUSTER_DIM).requires_grad_(False)
        self.adversary = None
        if warmup.adversary is not None:
            options = warmup.adversary
            self.adversary = Adversary(dim, num_classes=options.num_groups, weight=options.weight)
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload] # torch's stubs lack it

    def forward(self, views: Views, labels: Labels) -> Output:
        """The base objective on two views [B, 3, H, W], with labels int64 [B] by attribute."""
        target, sensitive = (self.warmup.objective.attribute(role) for role in ("target", "sensitive"))
        with autocast(views[0].device, self.warmup.precision):
            output: Output = self.objective(
                self.encoder,
                views,
                target=labels[target] if target else None,
                sensitive=labels[sensitive] if sensitive else None,
            )
        return output

    def adversarial_loss(self, output: Output, labels: Labels) -> Tensor | None:
        """The adversary's loss on the features of both views, to be added to the objective's; None without one."""
        if self.adversary is None or self.warmup.adversary is None:
            return None
        with autocast(output.features.device, self.warmup.precision):
            loss: Tensor = self.adversary(output.features, labels[self.warmup.adversary.sensitive].repeat(2))
        return loss

    @torch.no_grad()
    def clustered(self, output: Output, space: Space) -> Tensor:
        """The features [2B, .] of a step that are clustered, cut from their graph."""
        return output.z.detach() if space == "contrastive" else self._beside(output.features, space)

    @torch.no_grad()
    def clustered_images(self, images: Tensor, labels: Labels, space: Space) -> Tensor:
        """The features [n, .] of normalised images [n, 3, H, W] that are clustered.

        The contrastive space is read off the objective's output, which is all that an objective promises: it sees each
        image as both of its views.
        """
        if space == "contrastive":
            return self((images, images), labels).z[: len(images)]
        with autocast(images.device, self.warmup.precision):
            features = self.encoder(images)
        return self._beside(features, space)

    def _beside(self, features: Tensor, space: Space) -> Tensor:
        features = features.float()
        head: Tensor = self.cluster_head(features) if space == "head" else features
        return head

    def optimiser(self) -> torch.optim.SGD:
        """SGD over everything that learns."""
        options = self.warmup.optimiser
        learning = [parameter for parameter in self.parameters() if parameter.requires_grad]
        return torch.optim.SGD(learning, lr=options.lr, momentum=options.momentum, weight_decay=options.weight_decay)

    @property
    def _parts(self) -> tuple[str, ...]:
        return PARTS if self.adversary is None else (*PARTS, "adversary")

    def parts(self) -> dict[str, Any]:
        return {name: getattr(self, name).state_dict() for name in self._parts}

    def load_parts(self, parts: dict[str, Any]) -> None:
        for name in self._parts:
            getattr(self, name).load_state_dict(parts[name])


def read_kept(path: Path, *, remedy: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A kept checkpoint and the configuration in it; a missing or damaged one is a `UserError` with the remedy."""
    if not path.is_file():
        raise UserError(f"{path}: no such checkpoint. {remedy}")
    try:
        content = load_archive(path.read_bytes())
        config: dict[str, Any] = json.loads(content["config"])
    except Exception as error:  # torch raises many kinds for a file that is cut off or not one of its own
        raise UserError(f"{path}: not a readable checkpoint ({type(error).__name__}). {remedy}") from None
    if content.get("format") != FORMAT:
        raise UserError(f"{path}: format {content.get('format')}, this version reads {FORMAT}. {remedy}")
    if not isinstance(config, dict) or not {"epoch", "encoder"} <= content.keys():
        raise UserError(f"{path}: holds no encoder with its epoch and configuration. {remedy}")
    return content, config
