"""BYOL from lightly with ProtoFair added: the blocks marked ProtoFair are all it takes.

python examples/lightly_byol.py
"""

import copy

import protofair.core.torchvision_ops  # noqa: F401 - lightly needs torchvision; this lets it load beside a torch without CUDA

# isort: split
import torch
import torch.nn.functional as F
from lightly.loss import NegativeCosineSimilarity
from lightly.models.modules import BYOLPredictionHead, BYOLProjectionHead
from lightly.models.utils import deactivate_requires_grad, update_momentum
from torch import Tensor, nn

from protofair import ProtoFair


def load_data() -> tuple[Tensor, Tensor]:
    """256 small images, and the sensitive group of each, which here also brightens it."""
    generator = torch.Generator().manual_seed(0)
    sensitive = torch.randint(2, (256,), generator=generator)
    colour = torch.randn(256, 3, 1, 1, generator=generator) + sensitive[:, None, None, None]
    return colour + 0.5 * torch.randn(256, 3, 16, 16, generator=generator), sensitive


def main(
    warmup_steps: int = 30, fair_steps: int = 30, weight: float = 0.2
) -> tuple[nn.Module, list[float], list[float]]:
    """The trained encoder, the base loss of every step, and the ProtoFair loss of every fair step."""
    torch.manual_seed(0)
    images, sensitive = load_data()
    conv, norm, pool = nn.Conv2d(3, 32, 3, stride=2), nn.BatchNorm2d(32), nn.AdaptiveAvgPool2d(1)
    backbone = nn.Sequential(conv, norm, nn.ReLU(), pool, nn.Flatten())
    projection_head, prediction_head = BYOLProjectionHead(32, 64, 128), BYOLPredictionHead(128, 64, 128)
    target = copy.deepcopy(nn.Sequential(backbone, projection_head))
    deactivate_requires_grad(target)
    criterion = NegativeCosineSimilarity()
    online = nn.ModuleList([backbone, projection_head, prediction_head])
    optimizer = torch.optim.SGD(online.parameters(), lr=0.06)

    # ProtoFair: the regulariser, and a head for the clusters, which is never trained.
    fair, cluster_head = ProtoFair(num_prototypes=5, dim=128), nn.Linear(32, 128)

    base_losses, fair_losses = [], []
    for step in range(warmup_steps + fair_steps):
        update_momentum(nn.Sequential(backbone, projection_head), target, m=0.99)
        batch = torch.randint(len(images), (64,))
        x0, x1 = images[batch] + 0.3 * torch.randn(2, 64, 3, 16, 16)
        features0, features1 = backbone(x0), backbone(x1)
        z0, z1 = projection_head(features0), projection_head(features1)
        loss = 0.5 * (criterion(prediction_head(z0), target(x1)) + criterion(prediction_head(z1), target(x0)))
        base_losses.append(loss.item())

        # ProtoFair: after the warm-up, cluster the whole training set, in eval mode.
        if step == warmup_steps:
            with torch.no_grad():
                fair.initialise(cluster_head(backbone.eval()(images)))
            backbone.train()
        # ProtoFair: from then on, add its term over both views of the online projections.
        if step >= warmup_steps:
            z, h = F.normalize(torch.cat([z0, z1]), dim=1), cluster_head(torch.cat([features0, features1]))
            fair_loss = fair(z, cluster_features=h, sensitive=sensitive[batch].repeat(2))
            loss = loss + weight * fair_loss
            fair_losses.append(fair_loss.item())

        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return backbone, base_losses, fair_losses


if __name__ == "__main__":
    for weight in (0.0, 0.2):
        _, base, fair = main(weight=weight)
        print(f"weight {weight}: base loss {base[-1]:.3f}, ProtoFair loss {fair[-1]:.3f} in the last step")
