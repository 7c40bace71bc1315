import torch

from protofair.probe.crops import random_crops


def images():
    return torch.rand(6, 3, 16, 16, generator=torch.Generator().manual_seed(0))


def test_crops_depend_on_seed_epoch_and_batch_alone():
    first = random_crops(seed=1, epoch=2)(images(), 3)
    torch.manual_seed(99)
    assert torch.equal(first, random_crops(seed=1, epoch=2)(images(), 3))
    for seed, epoch, batch in ((0, 2, 3), (1, 0, 3), (1, 2, 0)):
        assert not torch.equal(first, random_crops(seed=seed, epoch=epoch)(images(), batch))


def test_every_image_gets_a_crop_of_its_own():
    same = images()[:1].repeat(6, 1, 1, 1)
    crops = random_crops(seed=0, epoch=0)(same, 0)
    assert crops.shape == same.shape
    assert len(torch.unique(crops, dim=0)) == 6


def test_half_of_the_crops_are_mirrored():
    slope = torch.linspace(0, 1, 16).expand(400, 3, 16, 16)
    crops = random_crops(seed=0, epoch=0)(slope, 0)
    mirrored = (crops[:, 0, 0, 0] > crops[:, 0, 0, -1]).float().mean()
    assert 0.42 < mirrored < 0.58
