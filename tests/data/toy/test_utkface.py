import hashlib
import io
import re
import tarfile
from collections import defaultdict
from pathlib import Path

import pytest
from PIL import Image

from protofair.data.toy import draw, utkface


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The drawn files by name."""
    folder: Path = tmp_path_factory.mktemp("utkface")
    draw("utkface", folder, images=220)
    with tarfile.open(folder / "UTKFace.tar.gz", "r:gz") as archive:
        first, *members = archive.getmembers()
        assert first.isdir()
        assert all(Path(member.name).parent == Path("UTKFace") for member in members)
        return {Path(member.name).name: archive.extractfile(member).read() for member in members}


def test_names_are_official_but_for_one_of_each_known_oddity(files: dict[str, bytes]) -> None:
    assert len(files) == 220
    regular = re.compile(r"\d{1,3}_[01]_[0-4]_\d{17}\.jpg\.chip\.jpg")
    odd = [name for name in files if not regular.fullmatch(name)]
    oddities = [
        r"\d+_[01]_\d{17}\.jpg\.chip\.jpg",
        r"\d+_[01]_[0-4]_\d{17} \.jpg\.chip\.jpg",
        r"\d+_[01]_[0-4]_\d{17}jpg\.chip\.jpg",
        r"\d+_[01]_[0-4]_\d{16}\.jpg\.chip\.jpg",
        r"\d+_[01]_[0-4]_\d{18}\.jpg\.chip\.jpg",
    ]
    assert [bool(re.fullmatch(pattern, name)) for pattern, name in zip(oddities, odd, strict=True)] == [True] * 5


def test_some_files_are_copies_and_some_copies_disagree(files: dict[str, bytes]) -> None:
    groups = defaultdict(list)
    for name, content in files.items():
        groups[hashlib.sha256(content).digest()].append(name.split("_")[:3])
    copies = [labels for labels in groups.values() if len(labels) > 1]
    assert sorted(len(labels) for labels in copies) == [2, 2]
    assert sorted(first == second for first, second in copies) == [False, True]


def test_images_have_the_official_format_and_size(files: dict[str, bytes]) -> None:
    image = Image.open(io.BytesIO(next(iter(files.values()))))
    assert (image.format, image.mode, image.size) == ("JPEG", "RGB", (200, 200))


@pytest.mark.parametrize(("correlation", "low", "high"), [(0.0, 0.45, 0.55), (0.8, 0.85, 0.95)])
def test_the_share_of_men_among_whites_follows_the_correlation(correlation: float, low: float, high: float) -> None:
    people = [utkface.labels(index, correlation=correlation, seed=0) for index in range(3000)]
    whites = [who for who in people if who.race == 0]
    assert 0.45 < len(whites) / len(people) < 0.55
    assert low < sum(who.gender == 0 for who in whites) / len(whites) < high
    assert {who.race for who in people} == {0, 1, 2, 3, 4}
