import protofair.core.torchvision_ops  # noqa: F401, I001 - before torchvision
import math

import pytest
import torch
from torchvision.transforms import v2
from torchvision.transforms.v2 import functional as tv

from protofair.train.augment import Parameters, augment, draw, normalise, two_views, unit_range
from protofair.train.config import Augment

CONFIG = Augment()
OPERATIONS = (tv.adjust_brightness, tv.adjust_contrast, tv.adjust_saturation, tv.adjust_hue)


def picture(size: int = 16) -> torch.Tensor:
    """A colourful image, uint8 [size, size, 3], of which a crop, a flip and every colour can be seen."""
    ramp = torch.linspace(0, 255, size).expand(size, size)
    return torch.stack([ramp, ramp.T, 255 - ramp], dim=2).byte()


def drawn(n: int, config: Augment = CONFIG, seed: int = 0) -> Parameters:
    return draw(n, height=16, width=16, config=config, generator=torch.Generator().manual_seed(seed))


def test_a_batch_equals_torchvisions_functions_image_by_image():
    images = torch.rand(60, 3, 16, 16, generator=torch.Generator().manual_seed(1))
    parameters = drawn(60)
    assert 0 < parameters.jitter.sum() < 60
    ours = augment(images.clone(), parameters)
    for i, image in enumerate(images):
        out = tv.resized_crop(image, *parameters.boxes[i].tolist(), size=[16, 16], antialias=True)
        out = tv.horizontal_flip(out) if parameters.flip[i] else out
        for operation in parameters.order[i].tolist() if parameters.jitter[i] else []:
            out = OPERATIONS[operation](out, float(parameters.factors[i, operation]))
        out = tv.rgb_to_grayscale(out, num_output_channels=3) if parameters.grayscale[i] else out
        torch.testing.assert_close(ours[i], out, atol=2e-5, rtol=0)


def test_pixel_statistics_agree_with_torchvisions_transforms():
    """Mean and deviation of every channel and quarter, over 2,000 views of one image, within four standard errors."""
    n = 2000
    transform = v2.Compose([
        v2.RandomResizedCrop(16, scale=(0.2, 1.0)),
        v2.RandomHorizontalFlip(),
        v2.RandomApply([v2.ColorJitter(0.4, 0.4, 0.4, 0.1)], p=0.8),
        v2.RandomGrayscale(0.2),
    ])  # fmt: skip
    image = unit_range(picture()[None])
    with torch.random.fork_rng():
        torch.manual_seed(0)
        theirs = torch.cat([transform(image) for _ in range(n)])
    ours = augment(image.repeat(n, 1, 1, 1), drawn(n))
    for moment in (1, 2):
        left, right = (v.unflatten(2, (2, 8)).unflatten(4, (2, 8)).pow(moment).mean((3, 5)) for v in (ours, theirs))
        error = ((left.var(0) + right.var(0)) / n).sqrt()
        assert ((left.mean(0) - right.mean(0)).abs() < 4 * error).all()


def test_every_choice_has_the_probability_asked_for():
    n = 20_000
    parameters = drawn(n)
    for name, p in (("flip", 0.5), ("jitter", 0.8), ("grayscale", 0.2)):
        assert abs(getattr(parameters, name).float().mean() - p) < 4 * math.sqrt(p * (1 - p) / n), name
    orders, counts = parameters.order.unique(dim=0, return_counts=True)
    assert len(orders) == 24
    assert ((counts / n - 1 / 24).abs() < 4 * math.sqrt(1 / 24 / n)).all()
    low, high = parameters.factors.min(0).values, parameters.factors.max(0).values
    torch.testing.assert_close(low, torch.tensor([0.6, 0.6, 0.6, -0.1]), atol=1e-3, rtol=0)
    torch.testing.assert_close(high, torch.tensor([1.4, 1.4, 1.4, 0.1]), atol=1e-3, rtol=0)


def test_nothing_happens_where_everything_is_switched_off():
    off = Augment(crop_scale=(1, 1), crop_ratio=(1, 1), flip=0, jitter=0, grayscale=0)
    images = picture()[None]
    for view in two_views(images, config=off, seed=0, epoch=1, step=0):
        torch.testing.assert_close(view, normalise(unit_range(images)))


def test_views_come_from_seed_epoch_and_step_alone():
    images = picture()[None].repeat(4, 1, 1, 1)
    place = {"seed": 3, "epoch": 5, "step": 7}
    first = two_views(images, config=CONFIG, **place)
    torch.rand(10)
    again = two_views(images, config=CONFIG, **place)
    assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))
    for name in place:
        other = two_views(images, config=CONFIG, **(place | {name: place[name] + 1}))
        assert not torch.equal(first[0], other[0]), name


def test_the_global_random_state_is_left_alone():
    before = torch.get_rng_state()
    two_views(picture()[None], config=CONFIG, seed=0, epoch=1, step=0)
    assert torch.equal(torch.get_rng_state(), before)


def test_images_and_views_get_parameters_of_their_own():
    first, second = two_views(picture()[None].repeat(8, 1, 1, 1), config=CONFIG, seed=0, epoch=1, step=0)
    views = torch.cat([first, second]).flatten(1)
    assert len(views.unique(dim=0)) == 16


def test_views_are_normalised_and_in_channels_last():
    view, _ = two_views(picture()[None].repeat(2, 1, 1, 1), config=CONFIG, seed=0, epoch=1, step=0)
    assert view.is_contiguous(memory_format=torch.channels_last)
    assert view.dtype == torch.float32
    levels = torch.tensor([0, 51, 255], dtype=torch.uint8).view(1, 1, 3, 1)
    torch.testing.assert_close(normalise(unit_range(levels))[0, 0, 0], torch.tensor([-1.0, -0.6, 1.0]))


@pytest.mark.parametrize("config", [CONFIG, Augment(jitter=1.0, hue=0.5)])
def test_a_grey_image_gets_three_equal_channels(config):
    images = picture()[None, :, :, :1].repeat(6, 1, 1, 1)
    view, _ = two_views(images, config=config, seed=0, epoch=1, step=0)
    assert view.shape == (6, 3, 16, 16)
    torch.testing.assert_close(view, view[:, :1].expand_as(view), atol=1e-5, rtol=0)


def test_the_views_of_an_image_stand_at_its_place():
    plain = Augment(crop_scale=(1, 1), crop_ratio=(1, 1), flip=0, jitter=0, grayscale=0)
    images = torch.randint(0, 256, (5, 16, 16, 3), generator=torch.Generator().manual_seed(0), dtype=torch.uint8)
    for view in two_views(images, config=plain, seed=0, epoch=1, step=0):
        torch.testing.assert_close(view, normalise(unit_range(images)))
