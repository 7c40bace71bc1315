"""The table of official files against other people's knowledge of them, and its errors."""

import re
from pathlib import Path

import pytest
import yaml

from protofair.core.errors import UserError
from protofair.data.acquire.table import Drive, File, read_table

SOURCES = Path(__file__).parents[3] / "params" / "sources.yaml"


@pytest.fixture
def table():
    return read_table(SOURCES)


def test_celeba_is_what_torchvision_knows(table):
    import protofair.core.torchvision_ops  # noqa: F401, I001 - before torchvision
    from torchvision.datasets import CelebA

    known = {name: (drive, md5) for drive, md5, name in CelebA.file_list}
    ours = {name: (file.sources[0].id, file.md5) for name, file in table.datasets["celeba"].files.items()}
    assert set(ours) == {
        "img_align_celeba.zip",
        "list_attr_celeba.txt",
        "list_eval_partition.txt",
        "identity_CelebA.txt",
    }
    assert ours == {name: known[name] for name in ours}


def test_the_partition_list_has_a_line_of_fourteen_bytes_an_image(table):
    celeba = table.datasets["celeba"]
    assert celeba.files["list_eval_partition.txt"].size == celeba.images.count * len(b"000001.jpg 0\r\n")


def test_utkface_has_a_second_mirror_since_the_first_has_been_reported_gone(table):
    (file,) = table.datasets["utkface"].files.values()
    assert [source.kind for source in file.sources] == ["drive", "hub"]
    assert file.size == 106_634_631


def test_nih_is_twelve_different_archives_and_three_tables(table):
    nih = table.datasets["nih"]
    archives = {name: file for name, file in nih.files.items() if name.endswith(".tar.gz")}
    assert list(archives) == [f"images_{number:03d}.tar.gz" for number in range(1, 13)]
    assert [file.aliases for file in archives.values()] == [(f"images_{number:02d}.tar.gz",) for number in range(1, 13)]
    assert len({file.md5 for file in archives.values()}) == 12
    assert len({str(file.sources[0]) for file in archives.values()}) == 12
    assert sum(file.size for file in archives.values()) == 45_079_862_784
    tables = {name: file.lines for name, file in nih.files.items() if name not in archives}
    assert tables == {"Data_Entry_2017_v2020.csv": 112_121, "train_val_list.txt": 86_524, "test_list.txt": 25_596}
    assert tables["train_val_list.txt"] + tables["test_list.txt"] == nih.images.count


@pytest.mark.parametrize(
    ("names", "good", "bad"),
    [
        ("celeba", ["000001.jpg", "202599.jpg"], ["1.jpg", "000001.png", "000001.jpg.jpg"]),
        (
            "utkface",
            [
                "100_0_0_20170112213500903.jpg.chip.jpg",
                "39_1_20170116174525125.jpg.chip.jpg",
                "55_0_0_20170116232725357jpg.chip.jpg",
                "24_0_1_20170116220224657 .jpg.chip.jpg",
            ],
            ["100_0_0_20170112213500903.jpg", "000001.jpg"],  # in the wild, not aligned and cropped
        ),
        ("nih", ["00000001_000.png", "00030805_000.png"], ["00000001_000.jpg", "1_0.png"]),
    ],
)
def test_names_of_images(table, names, good, bad):
    pattern = re.compile(table.datasets[names].images.names)
    assert all(pattern.fullmatch(name) for name in good)
    assert not any(pattern.fullmatch(name) for name in bad)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda file: file.update(md5="xyz"), r"UTKFace\.tar\.gz\.md5"),
        (lambda file: file.update(size=-1), r"UTKFace\.tar\.gz\.size"),
        (lambda file: file.update(sizes=1), r"UTKFace\.tar\.gz\.sizes"),
        (lambda file: file.update(sources=[]), r"UTKFace\.tar\.gz\.sources"),
        (lambda file: file.update(sources=[{"kind": "ftp", "url": "x"}]), r"UTKFace\.tar\.gz\.sources\.0"),
        (lambda file: file.update(sources=[{"kind": "drive"}]), r"UTKFace\.tar\.gz\.sources\.0.*id"),
        (lambda file: file.update(also=["../UTKFace.tar"]), r"UTKFace\.tar\.gz\.also\.0"),
    ],
)
def test_an_error_names_the_file_and_the_key(tmp_path, change, message):
    content = yaml.safe_load(SOURCES.read_text())
    change(content["datasets"]["utkface"]["files"]["UTKFace.tar.gz"])
    path = tmp_path / "sources.yaml"
    path.write_text(yaml.safe_dump(content))
    with pytest.raises(UserError, match=rf"{path}: .*datasets\.utkface\.files\.{message}"):
        read_table(path)


def test_a_pattern_that_does_not_compile_is_named(tmp_path):
    content = yaml.safe_load(SOURCES.read_text())
    content["datasets"]["nih"]["images"]["names"] = "["
    (tmp_path / "sources.yaml").write_text(yaml.safe_dump(content))
    with pytest.raises(UserError, match=r"datasets\.nih\.images\.names.*not a regular expression"):
        read_table(tmp_path / "sources.yaml")


def test_the_stronger_hash_counts():
    source = [Drive(kind="drive", id="x")]
    assert File(md5="0" * 32, sha256="1" * 64, sources=source).hash == ("sha256", "1" * 64)
    assert File(md5="0" * 32, sources=source).hash == ("md5", "0" * 32)
    assert File(sources=source).hash is None
