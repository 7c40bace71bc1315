"""MFD (Jung et al. 2021): distil from an ordinary classifier, with each group's features pulled to those of all."""

from typing import Literal

import torch
import torch.nn.functional as F
from pydantic import Field
from torch import Tensor, nn

from protofair.baselines.method import Method, MethodOptions, Optimisers, Step, descend, sgd
from protofair.objectives import Encoder
from protofair.train.config import Optimiser

SMALLEST = 1e-12  # of a bandwidth: features that are all alike have none


def squared_distances(x: Tensor, y: Tensor) -> Tensor:
    """[n, m] between the rows of x [n, d] and y [m, d]."""
    squared = x.square().sum(dim=1)[:, None] + y.square().sum(dim=1)[None, :] - 2 * x @ y.T
    return squared.clamp(min=0)


def mmd_squared(x: Tensor, y: Tensor, *, bandwidth: Tensor) -> Tensor:
    """MMD^2 of the samples x [n, d] and y [m, d] under the kernel exp(-|x - y|^2 / (2 bandwidth)), a scalar."""

    def kernel(a: Tensor, b: Tensor) -> Tensor:
        return (-squared_distances(a, b) / (2 * bandwidth)).exp().mean()

    return kernel(x, x) + kernel(y, y) - 2 * kernel(x, y)


def mfd_loss(student: Tensor, teacher: Tensor, *, target: Tensor, sensitive: Tensor) -> Tensor:
    """Half the sum over classes c and groups g of MMD^2(teacher's features of c, student's of c and g), a scalar.

    student, teacher [n, d], labels int [n]. The bandwidth is the mean squared distance between the teacher's features
    and the student's over the whole batch, as in the authors' code, without gradient. A class and group that the batch
    lacks adds nothing. Computed in float32, under autocast too.
    """
    with torch.autocast(student.device.type, enabled=False):
        student, teacher = student.float(), teacher.float()
        bandwidth = squared_distances(teacher, student).mean().detach().clamp(min=SMALLEST)
        total = student.new_zeros(())
        for c in target.unique().tolist():
            of_class = target == c
            for g in sensitive[of_class].unique().tolist():
                of_group = of_class & (sensitive == g)
                total = total + mmd_squared(teacher[of_class], student[of_group], bandwidth=bandwidth)
        return total / 2


class MFDConfig(MethodOptions):
    """A weight of 7 is CelebA's; UTKFace has 3."""

    name: Literal["mfd"] = "mfd"
    weight: float = Field(default=7.0, ge=0)

    needs_teacher = True

    def build(self, encoder: Encoder, teacher: Encoder | None) -> "MFD":
        if teacher is None:
            raise ValueError("MFD learns from a teacher")
        return MFD(encoder, teacher, config=self)


class MFD(Method):
    """The teacher is part of the state, and nothing ever changes it: no gradient, no statistics of batch norm."""

    def __init__(self, encoder: Encoder, teacher: Encoder, *, config: MFDConfig) -> None:
        super().__init__()
        self.config, self.encoder = config, encoder
        self.teacher = teacher.requires_grad_(False)
        self.classifier = nn.Linear(encoder.feature_dim, config.num_classes)

    def train(self, mode: bool = True) -> "MFD":
        super().train(mode)
        self.teacher.eval()
        return self

    def optimisers(self, options: Optimiser) -> Optimisers:
        return {"student": sgd([self.encoder, self.classifier], options)}

    def update(self, step: Step, optimisers: Optimisers) -> dict[str, Tensor]:
        features = self.encoder(step.images)
        with torch.no_grad():
            taught = self.teacher(step.images)
        base = F.cross_entropy(self.classifier(features).float(), step.target)
        distilled = mfd_loss(features, taught, target=step.target, sensitive=step.sensitive)
        loss = base + self.config.weight * distilled
        descend(optimisers["student"], loss)
        return {"loss": loss.detach(), "base": base.detach(), "distilled": distilled.detach()}
