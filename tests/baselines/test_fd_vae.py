import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Normal
from torch.distributions import kl_divergence as torch_kl

from protofair.baselines.fd_vae import FDVAEConfig, kl_divergence, permuted_blocks
from protofair.core.errors import UserError
from protofair.objectives import build_encoder
from protofair.objectives.vae import sample
from protofair.train.config import Optimiser

CONFIG = {"target": "Smiling", "sensitive": "Male"}
OPTIONS = Optimiser(lr=1e-3)


@pytest.fixture
def vae():
    torch.manual_seed(0)
    config = FDVAEConfig(**CONFIG, discriminator_width=16, classifier_epochs=4)
    return config.build(build_encoder("fd-vae-small"), None).train()


def test_kl_divergence_is_torchs():
    mean, log_variance = torch.randn(2, 5, 60, generator=torch.Generator().manual_seed(0)).unbind()
    standard = Normal(torch.zeros(5, 60), torch.ones(5, 60))
    expected = torch_kl(Normal(mean, (log_variance / 2).exp()), standard).sum(dim=1).mean()
    torch.testing.assert_close(kl_divergence(mean, log_variance), expected)


def test_blocks_are_shuffled_whole_and_each_by_itself():
    codes = torch.arange(8 * 60.0).view(8, 60)
    permuted = permuted_blocks(codes, generator=torch.Generator().manual_seed(0))
    orders = []
    for block in range(3):
        columns = slice(20 * block, 20 * (block + 1))
        rows = [row.tolist() for row in codes[:, columns]]
        orders.append([rows.index(row.tolist()) for row in permuted[:, columns]])
        assert sorted(orders[-1]) == list(range(8))
    assert orders[0] != orders[1] != orders[2]


def terms(vae, step):
    """Every term of the VAE's loss from the recipe's formula, the reversed ones as they are to the encoder."""
    images = F.interpolate(step.images, size=(32, 32), mode="bilinear", antialias=True)
    mean, log_variance = vae.trunk.moments(images)
    codes = sample(mean, log_variance, generator=step.generator)
    target, protected = codes[:, :20], codes[:, 40:]
    return {
        "reconstruction": sum(((vae.decoder(c[None])[0] - x) ** 2).sum() for c, x in zip(codes, images, strict=True))
        / 12,
        "kl": torch_kl(Normal(mean, (log_variance / 2).exp()), Normal(0.0, 1.0)).sum() / 12,
        "correlation": 6.4 * vae.discriminator(codes).mean(),
        "alignment": 5
        * (
            F.cross_entropy(vae.protected_head(protected), step.sensitive)
            + F.cross_entropy(vae.target_head(target), step.target)
        ),
        "adversary": -10
        * (
            F.cross_entropy(vae.protected_in_target.head(target), step.sensitive)
            + F.cross_entropy(vae.target_in_protected.head(protected), step.target)
        ),
    }


def test_the_encoders_gradient_is_that_of_the_recipe_with_the_adversaries_turned_around(vae, make_step):
    parameters = list(vae.trunk.latent.parameters())
    expected = torch.autograd.grad(sum(terms(vae, make_step()).values()), parameters)
    optimisers = vae.optimisers(OPTIONS)
    found = []
    optimisers["vae"].register_step_pre_hook(lambda *_: found.extend(p.grad.clone() for p in parameters))
    numbers = vae.update(make_step(), optimisers)
    for gradient, wanted in zip(found, expected, strict=True):
        torch.testing.assert_close(gradient, wanted, rtol=1e-3, atol=1e-4)
    reference = terms(vae, make_step())
    assert set(reference) < set(numbers)


def test_the_terms_that_are_logged_are_those_of_the_recipe(vae, make_step):
    reference = {name: value.item() for name, value in terms(vae, make_step()).items()}
    numbers = vae.update(make_step(), vae.optimisers(OPTIONS))
    weights = {"correlation": 6.4, "alignment": 5, "adversary": -10}
    for name, value in reference.items():
        assert weights.get(name, 1) * numbers[name].item() == pytest.approx(value, rel=1e-3), name


VAE = {
    "encoder.trunk.latent", "decoder", "target_head", "protected_head", "protected_in_target", "target_in_protected",
}  # fmt: skip


@pytest.mark.parametrize(
    ("still", "expected"),
    [("classifier", VAE | {"discriminator"}), ("discriminator", VAE), ("vae", {"discriminator"})],
)
def test_in_the_first_phase_the_filter_and_the_classifier_stand_still_and_the_discriminator_has_its_own_update(
    vae, make_step, moved, still, expected
):
    optimisers = vae.optimisers(OPTIONS)
    optimisers[still].param_groups[0]["lr"] = 0.0
    assert moved(vae, lambda: vae.update(make_step(epochs_left=5), optimisers)) == expected


def test_in_the_second_phase_nothing_but_they_and_the_filters_adversary_move(vae, make_step, moved):
    optimisers = vae.optimisers(OPTIONS)
    changed = moved(vae, lambda: vae.update(make_step(epochs_left=4), optimisers))
    assert changed == {"encoder.trunk.filter", "classifier", "protected_in_filtered"}


def test_the_discriminator_learns_to_tell_codes_from_permuted_ones(vae, make_step):
    optimisers = vae.optimisers(OPTIONS)
    optimisers["vae"].param_groups[0]["lr"] = 0.0
    optimisers["discriminator"].param_groups[0]["lr"] = 1e-2
    told = [vae.update(make_step(), optimisers)["discriminator"].item() for _ in range(30)]
    assert told[-1] < told[0] - 0.1
    step = make_step()
    codes = sample(*vae.trunk.moments(vae.trunk.resized(step.images)), generator=step.generator)
    permuted = permuted_blocks(codes, generator=step.generator)
    assert vae.discriminator(codes).mean() > vae.discriminator(permuted).mean() + 0.1, "its output is the log-odds"


def test_the_filter_works_against_its_adversary(vae, make_step):
    step = make_step(epochs_left=1)
    with torch.no_grad():
        mean, _ = vae.trunk.moments(vae.trunk.resized(step.images))
    fair, filtered = vae.trunk.represent(mean)
    loss = F.cross_entropy(vae.classifier(fair), step.target)
    told = F.cross_entropy(vae.protected_in_filtered.head(filtered), step.sensitive)
    parameters = list(vae.trunk.filter.parameters())
    expected = torch.autograd.grad(loss - told, parameters)
    optimisers, found = vae.optimisers(OPTIONS), []
    optimisers["classifier"].register_step_pre_hook(lambda *_: found.extend(p.grad.clone() for p in parameters))
    vae.update(step, optimisers)
    for gradient, wanted in zip(found, expected, strict=True):
        torch.testing.assert_close(gradient, wanted)


def test_what_is_measured_is_the_target_block_and_a_twentieth_of_the_filtered_mutual_one(vae, make_step):
    images = make_step().images
    mean, _ = vae.trunk.moments(vae.trunk.resized(images))
    torch.testing.assert_close(vae.encoder(images), mean[:, :20] + 0.05 * vae.trunk.filter(mean[:, 20:40]))
    assert vae.classifier(vae.encoder(images)).shape == (12, 2)


def test_the_networks_are_the_originals_at_full_size():
    vae = FDVAEConfig(**CONFIG).build(build_encoder("fd-vae"), None)
    widths = [layer.out_features for layer in vae.discriminator if isinstance(layer, nn.Linear)]
    assert widths == [1000] * 6 + [1]
    assert vae.decoder(torch.zeros(2, 60)).shape == (2, 3, 64, 64)
    assert vae.encoder(torch.zeros(2, 3, 128, 128)).shape == (2, 20)
    assert {type(optimiser) for optimiser in vae.optimisers(OPTIONS).values()} == {torch.optim.Adam}


def test_another_encoder_is_refused(encoder):
    with pytest.raises(UserError, match=r"encoder\.name"):
        FDVAEConfig(**CONFIG).build(encoder, None)
