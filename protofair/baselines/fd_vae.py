"""FD-VAE (Park et al. 2021): a VAE whose latent blocks hold the target, the protected attribute, and what both share.

In the last `classifier_epochs` the VAE stands still, and a classifier learns on the fair representation, while a filter
lets nothing of the protected attribute pass from the mutual block.
"""

from typing import Any, ClassVar, Literal

import torch
import torch.nn.functional as F
from pydantic import Field
from torch import Tensor, nn
from torch.optim import Adam

from protofair.baselines.method import Method, MethodOptions, Optimisers, Step, descend
from protofair.core.errors import UserError
from protofair.objectives import Encoder
from protofair.objectives.adversary import Adversary
from protofair.objectives.vae import BLOCK, VAEEncoder, sample
from protofair.train.config import Optimiser


def kl_divergence(mean: Tensor, log_variance: Tensor) -> Tensor:
    """Of normal distributions [n, d] from the standard one: summed over d, mean over n, a scalar."""
    return (mean.square() + log_variance.exp() - 1 - log_variance).sum(dim=1).mean() / 2


def permuted_blocks(codes: Tensor, *, generator: torch.Generator) -> Tensor:
    """The codes [n, 3 BLOCK] with each block shuffled over the rows by itself: as if the blocks were independent."""
    blocks = [block[torch.randperm(len(codes), generator=generator)] for block in codes.split(BLOCK, dim=1)]
    return torch.cat(blocks, dim=1)


class FDVAEConfig(MethodOptions):
    """Weights are the original's; `discriminator_width` is that of its six hidden layers."""

    name: Literal["fd-vae"] = "fd-vae"
    correlation_weight: float = Field(default=6.4, ge=0)
    alignment_weight: float = Field(default=5.0, ge=0)
    reversal: float = Field(default=10.0, gt=0)
    discriminator_width: int = Field(default=1000, ge=1)
    classifier_epochs: int = Field(default=10, ge=1)

    training: ClassVar[dict[str, Any]] = {
        "encoder": {"name": "fd-vae"},
        "optimiser": {"lr": 1e-4, "batch_size": 64, "ramp_epochs": 0},
    }
    constant_rate = True

    @property
    def least_epochs(self) -> int:
        return self.classifier_epochs + 1

    def build(self, encoder: Encoder, teacher: Encoder | None) -> "FDVAE":
        if not isinstance(encoder.trunk, VAEEncoder):
            raise UserError("'encoder.name': the method 'fd-vae' has encoders of its own. Take 'fd-vae'.")
        return FDVAE(encoder, encoder.trunk, config=self)


class FDVAE(Method):
    def __init__(self, encoder: Encoder, trunk: VAEEncoder, *, config: FDVAEConfig) -> None:
        super().__init__()
        classes, groups, reversal = config.num_classes, config.num_groups, config.reversal
        self.config, self.encoder = config, encoder
        self.decoder = _decoder(trunk)
        self.discriminator = _discriminator(config.discriminator_width)
        self.target_head, self.protected_head = nn.Linear(BLOCK, classes), nn.Linear(BLOCK, groups)
        self.protected_in_target = Adversary(BLOCK, num_classes=groups, weight=reversal)
        self.target_in_protected = Adversary(BLOCK, num_classes=classes, weight=reversal)
        self.protected_in_filtered = Adversary(BLOCK, num_classes=groups, weight=1.0)
        self.classifier = nn.Linear(BLOCK, classes)

    @property
    def trunk(self) -> VAEEncoder:
        if not isinstance(self.encoder.trunk, VAEEncoder):
            raise TypeError("not an encoder of FD-VAE")
        return self.encoder.trunk

    def optimisers(self, options: Optimiser) -> Optimisers:
        heads = [self.target_head, self.protected_head, self.protected_in_target, self.target_in_protected]
        groups: dict[str, list[nn.Module]] = {
            "vae": [self.trunk.latent, self.decoder, *heads],
            "discriminator": [self.discriminator],
            "classifier": [self.trunk.filter, self.classifier, self.protected_in_filtered],
        }
        return {
            name: Adam([parameter for part in parts for parameter in part.parameters()], lr=options.lr)
            for name, parts in groups.items()
        }

    def update(self, step: Step, optimisers: Optimisers) -> dict[str, Tensor]:
        if step.epochs_left > self.config.classifier_epochs:
            return self._update_vae(step, optimisers)
        return self._update_classifier(step, optimisers)

    def _update_vae(self, step: Step, optimisers: Optimisers) -> dict[str, Tensor]:
        images = self.trunk.resized(step.images)
        mean, log_variance = self.trunk.moments(images)
        codes = sample(mean, log_variance, generator=step.generator)
        target, _, protected = codes.split(BLOCK, dim=1)
        terms = {
            "reconstruction": (self.decoder(codes).float() - images).square().flatten(1).sum(dim=1).mean(),
            "kl": kl_divergence(mean, log_variance),
            "correlation": _log_odds(self.discriminator(codes)).mean(),
            "alignment": F.cross_entropy(self.protected_head(protected).float(), step.sensitive)
            + F.cross_entropy(self.target_head(target).float(), step.target),
            "adversary": self.protected_in_target(target, step.sensitive)
            + self.target_in_protected(protected, step.target),
        }
        weights = {"correlation": self.config.correlation_weight, "alignment": self.config.alignment_weight}
        loss = torch.stack([weights.get(name, 1.0) * term for name, term in terms.items()]).sum()
        descend(optimisers["vae"], loss)
        codes = codes.detach()
        both = torch.cat([codes, permuted_blocks(codes, generator=step.generator)])
        joint = torch.arange(len(both), device=both.device) < len(codes)
        told = F.binary_cross_entropy_with_logits(_log_odds(self.discriminator(both)), joint.float())
        descend(optimisers["discriminator"], told)
        return {name: value.detach() for name, value in {"loss": loss, **terms, "discriminator": told}.items()}

    def _update_classifier(self, step: Step, optimisers: Optimisers) -> dict[str, Tensor]:
        with torch.no_grad():
            mean, _ = self.trunk.moments(self.trunk.resized(step.images))
        fair, filtered = self.trunk.represent(mean)
        base = F.cross_entropy(self.classifier(fair).float(), step.target)
        opposed = self.protected_in_filtered(filtered, step.sensitive)
        loss = base + opposed
        descend(optimisers["classifier"], loss)
        return {"loss": loss.detach(), "base": base.detach(), "adversary": opposed.detach()}


def _log_odds(output: Tensor) -> Tensor:
    """That a code is from the VAE and not permuted, [n], of a discriminator's output [n, 1]."""
    return output[:, 0].float()


def _discriminator(width: int) -> nn.Sequential:
    layers: list[nn.Module] = []
    for before in (3 * BLOCK, *[width] * 5):
        layers += [nn.Linear(before, width), nn.LeakyReLU(0.2)]
    return nn.Sequential(*layers, nn.Linear(width, 1))


def _decoder(trunk: VAEEncoder) -> nn.Sequential:
    """The encoder's layers the other way round: codes [n, 60] to images [n, 3, size, size]."""
    width, side = trunk.width, trunk.size // 16
    layers: list[nn.Module] = [nn.Linear(3 * BLOCK, 256), nn.ReLU(inplace=True)]
    layers += [nn.Linear(256, 2 * width * side**2), nn.ReLU(inplace=True), nn.Unflatten(1, (2 * width, side, side))]
    for before, after in ((2 * width, 2 * width), (2 * width, width), (width, width)):
        layers += [nn.ConvTranspose2d(before, after, 4, stride=2, padding=1), nn.ReLU(inplace=True)]
    return nn.Sequential(*layers, nn.ConvTranspose2d(width, 3, 4, stride=2, padding=1))
