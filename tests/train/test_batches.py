import threading

import numpy as np
import pytest
import torch

from protofair.core.errors import UserError
from protofair.train.batches import AHEAD, TrainingSet, ahead

CPU = torch.device("cpu")
PLACE = {"batch_size": 5, "seed": 0, "epoch": 1, "first_step": 0, "device": CPU}


@pytest.fixture
def images(packed):
    return TrainingSet(packed, ["Smiling", "Male", "age"])


def digest(batches) -> list[int]:
    return [int(batch.images.long().sum()) for batch in batches]


def test_batches_are_training_rows_with_their_labels(images, packed):
    seen = []
    by_content = {packed.images[row].tobytes(): row for row in packed.rows("train")}
    for batch in images.epoch(**PLACE):
        assert batch.images.shape == (5, 8, 8, 3)
        assert batch.images.dtype == torch.uint8
        rows = [by_content[image.numpy().tobytes()] for image in batch.images]
        for attribute in ("Smiling", "Male"):
            assert batch.labels[attribute].tolist() == packed.values(attribute, np.array(rows)).tolist()
        seen += rows
    assert len(set(seen)) == 20  # four full batches of 24 images: the rest is left out
    assert images.steps(5) == 4


def test_the_order_comes_from_seed_and_epoch_alone(images):
    first = digest(images.epoch(**PLACE))
    torch.rand(3)
    assert digest(images.epoch(**PLACE)) == first
    assert digest(images.epoch(**PLACE | {"epoch": 2})) != first
    assert digest(images.epoch(**PLACE | {"seed": 1})) != first


def test_an_epoch_can_begin_at_any_step(images):
    whole = digest(images.epoch(**PLACE))
    for step in range(5):
        assert digest(images.epoch(**PLACE | {"first_step": step})) == whole[step:]


def test_labels_are_numbered_from_zero(images, packed):
    ages = packed.values("age", packed.rows("train"))
    assert images.classes["age"] == len(np.unique(ages))
    assert images.labels["age"].min() == 0
    assert images.labels["age"].max() == images.classes["age"] - 1
    same = images.labels["age"][:, None] == images.labels["age"]
    assert torch.equal(same, torch.from_numpy(ages[:, None] == ages))


@pytest.mark.parametrize("batch_size", [7, 8, 23, 100])
def test_in_order_has_every_image_once_and_no_batch_of_one(images, packed, batch_size):
    batches = list(images.in_order(batch_size=batch_size, device=CPU))
    assert torch.equal(torch.cat([b.images for b in batches]), torch.from_numpy(packed.images[packed.rows("train")]))
    assert torch.equal(torch.cat([b.labels["Male"] for b in batches]), images.labels["Male"])
    assert all(1 < len(batch.images) <= batch_size for batch in batches)


def test_too_few_images_for_a_batch_is_an_error(images):
    with pytest.raises(UserError, match=r"24 training images do not fill a batch of 64"):
        images.steps(64)


def test_an_unknown_attribute_is_an_error(packed):
    with pytest.raises(UserError, match=r"no attribute 'Mael'. Did you mean 'Male'"):
        TrainingSet(packed, ["Mael"])


def test_ahead_keeps_the_order_and_works_in_another_thread():
    threads = set()

    def square(x: int) -> int:
        threads.add(threading.get_ident())
        return x * x

    assert list(ahead(square, range(10))) == [x * x for x in range(10)]
    assert len(threads) == 1
    assert threading.get_ident() not in threads


def test_ahead_does_not_run_away():
    done = []
    results = ahead(done.append, range(100))
    next(results)
    results.close()
    assert len(done) <= AHEAD + 1


def test_ahead_raises_what_went_wrong():
    def fail(x: int) -> int:
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        list(ahead(fail, range(3)))
