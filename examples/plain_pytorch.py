"""A contrastive loop in plain PyTorch with ProtoFair added: the blocks marked ProtoFair are all it takes.

python examples/plain_pytorch.py
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from protofair import ProtoFair


def load_data() -> tuple[Tensor, Tensor]:
    """256 small images, and the sensitive group of each, which here also brightens it."""
    generator = torch.Generator().manual_seed(0)
    sensitive = torch.randint(2, (256,), generator=generator)
    colour = torch.randn(256, 3, 1, 1, generator=generator) + sensitive[:, None, None, None]
    return colour + 0.5 * torch.randn(256, 3, 16, 16, generator=generator), sensitive


def info_nce(z0: Tensor, z1: Tensor, temperature: float = 0.1) -> Tensor:
    """The other view of an image, among all images of the batch. z0, z1 [B, d] of unit length."""
    return F.cross_entropy(z0 @ z1.T / temperature, torch.arange(len(z0), device=z0.device))


def main(
    warmup_steps: int = 30, fair_steps: int = 30, weight: float = 0.3
) -> tuple[nn.Module, list[float], list[float]]:
    """The trained encoder, the base loss of every step, and the ProtoFair loss of every fair step."""
    torch.manual_seed(0)
    images, sensitive = load_data()
    encoder = nn.Sequential(nn.Conv2d(3, 32, 3, stride=2), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
    head = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 128))
    optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.1, momentum=0.9)

    # ProtoFair: the regulariser, and a head for the clusters, which is never trained.
    fair = ProtoFair(num_prototypes=5, dim=128)
    cluster_head = nn.Linear(32, 128)

    base_losses, fair_losses = [], []
    for step in range(warmup_steps + fair_steps):
        batch = torch.randint(len(images), (64,))
        features0 = encoder(images[batch] + 0.3 * torch.randn(64, 3, 16, 16))
        features1 = encoder(images[batch] + 0.3 * torch.randn(64, 3, 16, 16))
        z0, z1 = F.normalize(head(features0), dim=1), F.normalize(head(features1), dim=1)
        loss = info_nce(z0, z1)
        base_losses.append(loss.item())

        # ProtoFair: after the warm-up, cluster the whole training set; a long run does so again every few epochs.
        if step == warmup_steps:
            with torch.no_grad():
                fair.initialise(cluster_head(encoder(images)))
        # ProtoFair: from then on, add its term. Both views count, so each sensitive id is there twice.
        if step >= warmup_steps:
            h = cluster_head(torch.cat([features0, features1]))
            fair_loss = fair(torch.cat([z0, z1]), cluster_features=h, sensitive=sensitive[batch].repeat(2))
            loss = loss + weight * fair_loss
            fair_losses.append(fair_loss.item())

        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return encoder, base_losses, fair_losses


if __name__ == "__main__":
    for weight in (0.0, 0.3):
        _, base, fair = main(weight=weight)
        print(f"weight {weight}: base loss {base[-1]:.3f}, ProtoFair loss {fair[-1]:.3f} in the last step")
