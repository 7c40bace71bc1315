"""What the ProtoFair term adds to a SupCon step: ResNet-18, 128 px, batch 128 in two views.

python -m bench.fair_term
"""

import time
from collections.abc import Callable

import torch
import torch.nn.functional as F

from bench.table import Row, at_most, beside, show
from protofair import ProtoFair
from protofair.objectives.encoder import build_encoder
from protofair.objectives.supcon import SupCon, SupConConfig

BATCH, SIZE, DIM, TARGET = 128, 128, 128, 0.05
# A CPU has neither the memory nor the minutes for 256 images at once: it takes a few, and time goes with the number.
IMAGES_ON_CPU = 8


def seconds(work: Callable[[], object], repeats: int) -> float:
    """The median over some runs, the first left out."""
    times = []
    for _ in range(repeats + 1):
        start = time.perf_counter()
        work()
        if torch.cuda.is_available():
            torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return sorted(times[1:])[repeats // 2]


def main() -> list[Row]:
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    images = 2 * BATCH if device.type == "cuda" else IMAGES_ON_CPU
    encoder = build_encoder("resnet18").to(device)
    objective = SupCon(encoder, config=SupConConfig(target="any")).to(device)
    optimiser = torch.optim.SGD([*encoder.parameters(), *objective.parameters()], lr=0.1, momentum=0.9)
    views = torch.randn(2, images // 2, 3, SIZE, SIZE, device=device)
    target = torch.randint(2, (images // 2,), device=device)

    def supcon_step() -> None:
        optimiser.zero_grad()
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            loss = objective(encoder, (views[0], views[1]), target=target).loss
        loss.backward()
        optimiser.step()

    fair = ProtoFair(10, DIM).to(device)
    fair.initialise(torch.randn(1000, DIM, device=device))
    z = F.normalize(torch.randn(2 * BATCH, DIM, device=device), dim=1).requires_grad_()
    h = torch.randn(2 * BATCH, DIM, device=device)
    sensitive = torch.randint(2, (2 * BATCH,), device=device)

    def fair_term() -> None:
        fair(z, cluster_features=h, sensitive=sensitive).backward()

    step = seconds(supcon_step, 3) * 2 * BATCH / images
    term = seconds(fair_term, 51)
    return [
        at_most(
            f"ProtoFair term / SupCon step, resnet18, {SIZE} px, {BATCH} images, {device.type}",
            term / step,
            TARGET,
            "%",
        ),
        beside("ProtoFair term: forward and backward", term, " s"),
        beside(f"ProtoFair term: the SupCon step, from {images} of {2 * BATCH} views", step, " s"),
    ]


if __name__ == "__main__":
    print(show(main()))
