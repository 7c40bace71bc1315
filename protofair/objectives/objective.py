"""The interface between the training loop and what it trains with: a base objective owns its heads, not the encoder."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from torch import Tensor, nn

from protofair.core.strict import Strict
from protofair.objectives.encoder import Encoder


class Options(Strict):
    """The configuration of an objective; a subclass fixes `name` and adds its own keys.

    An objective that learns from labels names their attributes in the keys `target` and `sensitive`.
    """

    name: str

    def attribute(self, role: Literal["target", "sensitive"]) -> str | None:
        """The attribute that the objective reads as `role`, or None if it reads none."""
        name: str | None = getattr(self, role, None)
        return name

    @property
    def target_classes(self) -> int | None:
        """How many classes of the target the objective is built for; None if it takes any number."""
        count: int | None = getattr(self, "num_classes", None)
        return count


@dataclass(frozen=True)
class Output:
    """One forward pass over two views of B images; row i and row i + B are views of the same image."""

    loss: Tensor  # [], float32
    features: Tensor  # [2B, m] encoder output, with graph
    z: Tensor  # [2B, d] L2-normalised projector output, with graph
    terms: dict[str, Tensor] = field(default_factory=dict)  # detached parts of the loss, to log


class Objective(nn.Module, ABC):
    """A base objective: heads, momentum copies and the loss on them.

    The encoder is handed to each call and is never a submodule here, so that it is trained, moved and saved once.
    Options arrive as the keyword `config`, of the objective's own type.
    """

    num_views: ClassVar[int] = 2
    needs_target: ClassVar[bool] = False
    needs_sensitive: ClassVar[bool] = False
    z_dim: int

    @abstractmethod
    def forward(
        self,
        encoder: Encoder,
        views: tuple[Tensor, Tensor],
        *,
        target: Tensor | None = None,
        sensitive: Tensor | None = None,
    ) -> Output:
        """views: two float tensors [B, 3, H, W]; target, sensitive: int [B], None where the objective needs none."""

    def own_classifier(self) -> nn.Linear | None:
        """The classifier of the target on the encoder's features, of an objective that trains one."""
        return None

    def after_step(self, encoder: Encoder, progress: float) -> None:
        """What follows the optimiser's step, such as a momentum update; progress of the whole schedule in [0, 1]."""


def both_views(label: Tensor | None) -> Tensor:
    """The labels [2B] of the features of both views, from those of the images, [B]."""
    if label is None:
        raise ValueError("this objective learns from a label that was not given: see needs_target and needs_sensitive")
    return label.repeat(2)
