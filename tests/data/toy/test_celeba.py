import io
import zipfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from protofair.data.attributes import CELEBA
from protofair.data.toy import CORRELATION, celeba, draw

TARGETS = ("Attractive", "Big_Nose", "Bags_Under_Eyes")


@cache
def table(correlation: float = CORRELATION["celeba"]) -> dict[str, np.ndarray]:
    """Each attribute of the first 2400 people, bool [2400]."""
    people = [celeba.sitter(index, correlation=correlation, seed=0).attributes for index in range(2400)]
    return {name: np.array([name in attributes for attributes in people]) for name in CELEBA}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("celeba")
    draw("celeba", folder, images=30)
    return folder


def test_images_have_the_official_place_name_format_and_size(folder: Path) -> None:
    with zipfile.ZipFile(folder / "img_align_celeba.zip") as archive:
        assert archive.namelist() == ["img_align_celeba/", *(f"img_align_celeba/{i:06d}.jpg" for i in range(1, 31))]
        image = Image.open(io.BytesIO(archive.read("img_align_celeba/000001.jpg")))
    assert (image.format, image.mode, image.size) == ("JPEG", "RGB", (178, 218))


def test_the_attribute_table_is_the_official_one(folder: Path) -> None:
    count, header, *rows = (folder / "list_attr_celeba.txt").read_bytes().decode().removesuffix("\n").split("\n")
    assert count == "30"
    assert header == " ".join(CELEBA) + " "
    people = table()
    for index, row in enumerate(rows):
        assert row[:10] == f"{index + 1:06d}.jpg"
        values = [int(row[start : start + 3]) for start in range(10, 130, 3)]  # columns padded to three places
        assert len(row) == 130
        assert values == [1 if people[name][index] else -1 for name in CELEBA]


def test_the_partition_ends_its_lines_as_the_official_one_and_divides_no_identity(folder: Path) -> None:
    lines = (folder / "list_eval_partition.txt").read_bytes().decode().split("\r\n")
    assert lines[0] == "000001.jpg 0"
    assert lines.pop() == ""
    parts = [int(line.split()[1]) for line in lines]
    assert (parts.count(0), parts.count(1), parts.count(2)) == (12, 2, 16)
    identities = [line.split() for line in (folder / "identity_CelebA.txt").read_text().splitlines()]
    assert [name for name, _ in identities] == [line.split()[0] for line in lines]
    split_of = {}
    for (_, identity), part in zip(identities, parts, strict=True):
        assert split_of.setdefault(identity, part) == part
    assert len(split_of) == 15


def test_each_target_is_correlated_with_both_sensitive_attributes() -> None:
    people = table()
    for target, sign in {"Attractive": -1, "Big_Nose": 1, "Bags_Under_Eyes": 1}.items():
        assert np.corrcoef(people[target], people["Male"])[0, 1] == pytest.approx(
            sign * CORRELATION["celeba"], abs=0.05
        )
        assert np.corrcoef(people[target], people["Young"])[0, 1] == pytest.approx(
            -sign * CORRELATION["celeba"], abs=0.05
        )


def test_without_correlation_there_is_none() -> None:
    people = table(correlation=0.0)
    assert all(abs(np.corrcoef(people[t], people[s])[0, 1]) < 0.05 for t in TARGETS for s in ("Male", "Young"))


@pytest.mark.parametrize("sensitive", ["Male", "Young"])
@pytest.mark.parametrize("target", TARGETS)
def test_every_cell_of_the_default_test_set_is_large_enough_to_measure(target: str, sensitive: str) -> None:
    test = np.array(celeba.partition(2400)) == 2
    assert test.sum() >= 1200
    people = table()
    cells = [(test & (people[target] == t) & (people[sensitive] == s)).sum() for t in (0, 1) for s in (0, 1)]
    assert min(cells) > 100


def test_attributes_fit_each_other() -> None:
    people = table()
    assert not (people["Male"] & (people["Wearing_Lipstick"] | people["Heavy_Makeup"])).any()
    assert not (~people["Male"] & (people["Goatee"] | people["Mustache"] | people["Bald"])).any()
    colours = sum(people[name].astype(int) for name in ("Black_Hair", "Blond_Hair", "Brown_Hair", "Gray_Hair"))
    np.testing.assert_array_equal(colours, ~people["Bald"])
    assert people["Gray_Hair"][~people["Young"]].mean() > 0.5
    assert not people["Gray_Hair"][people["Young"]].any()
