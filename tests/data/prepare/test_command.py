"""`protofair prepare` as a person calls it, on drawn data as `protofair acquire` leaves it and on the real UTKFace."""

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner, Result

from protofair.cli import main, protofair
from protofair.core.packed import Packed
from protofair.data.attributes import ATTRIBUTES

SOURCES = Path(__file__).parents[3] / "params" / "sources.yaml"


def call(*arguments: object) -> Result:
    return CliRunner().invoke(protofair, [str(argument) for argument in arguments], catch_exceptions=False)


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "params").mkdir()
    shutil.copyfile(SOURCES, tmp_path / "params" / "sources.yaml")
    return tmp_path


@pytest.mark.parametrize(
    ("dataset", "options", "channels"),
    [
        ("celeba", {}, 3),
        ("utkface", {"split": {"alpha": 2, "val_per_cell": 5, "test_per_cell": 5}}, 3),
        ("nih", {}, 1),
    ],
)
def test_drawn_data_from_acquire_to_card(dataset: str, options: dict, channels: int, workspace: Path) -> None:
    plan = {
        "acquire": {"toy": {"dataset": dataset, "source": "toy", "images": 120}},
        "prepare": {"toy-32": {"acquire": "toy", "dataset": dataset, "size": 32, **options}},
    }
    (workspace / "params" / "plan.yaml").write_text(json.dumps(plan))
    call("acquire", "toy")
    result = call("prepare", "toy-32", "--workers", 1)
    assert result.stdout == "data/packed/toy-32: its data card is data/packed/toy-32/card.html\n"
    packed = Packed.open(Path("data/packed/toy-32"))
    assert packed.images.shape[1:] == (32, 32, channels)
    assert 110 <= len(packed.images) <= 120
    assert packed.images.min() < 50
    assert packed.images.max() > 150
    assert packed.attributes == list(ATTRIBUTES[dataset])
    assert all(len(packed.rows(split)) for split in ("train", "val", "test"))


def test_by_hand(data, workspace: Path) -> None:
    data.celeba(20)
    result = call("prepare", "mine", "--data", data.root, "--dataset", "celeba", "--size", 8, "--crop", "centre")
    assert result.exit_code == 0
    config = Packed.open(data.packed("mine")).manifest["config"]
    assert (config["acquire"], config["size"], config["crop"]) == ("celeba", 8, "centre")


def test_utkface_by_hand(data, workspace: Path) -> None:
    data.utkface(per_cell=8)
    options = ["--data", data.root, "--dataset", "utkface", "--size", 8]
    with pytest.raises(SystemExit) as stopped:
        main(["prepare", "mine", *map(str, options), "--alpha", "2"])
    assert stopped.value.code == 2  # 500 images a cell for each of validation and test are not there


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["prepare", "x"], "params/plan.yaml: no such file."),
        (["prepare", "x", "--size", "32"], "prepare x: options by hand need a --dataset"),
        (["prepare", "x", "--dataset", "celeba"], "data/acquired/celeba.json: no such file."),
        (
            ["prepare", "x", "--dataset", "celeba", "--data", "params/sources.yaml"],
            "acquired/celeba.json: no such file.",
        ),
        (
            ["prepare", "x", "--dataset", "utkface"],
            "prepare x: utkface has no official split: give it one, in a plan split: {alpha: 4}, by hand --alpha 4.\n",
        ),
    ],
)
def test_what_a_person_can_do_wrong_is_one_line_and_exit_code_2(
    arguments: list[str], message: str, workspace: Path, capsys: pytest.CaptureFixture
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error


@pytest.mark.slow
@pytest.mark.parametrize(("alpha", "frequent", "rare"), [(2, 4382, 2191), (4, 4380, 1095)])
def test_the_real_utkface(alpha: int, frequent: int, rare: int, utkface_tar: Path, workspace: Path) -> None:
    """Everything the official archive is known for, through the commands."""
    call("acquire", "utkface", "--from-dir", utkface_tar.parent, "--accept-licence")
    result = call("prepare", "u", "--dataset", "utkface", "--size", 32, "--alpha", alpha)
    assert result.exit_code == 0
    packed = Packed.open(Path("data/packed/u"))
    manifest, table = packed.manifest, packed.labels
    card = json.loads(Path("data/packed/u/card.json").read_text())

    assert [found["id"] for found in manifest["problems"]["no-label"]["first"]] == [
        "39_1_20170116174525125.jpg.chip.jpg",
        "61_1_20170109142408075.jpg.chip.jpg",
        "61_1_20170109150557335.jpg.chip.jpg",
    ]
    assert list(manifest["problems"]) == ["no-label"]
    identical = manifest["identical"]
    assert (identical["groups"], identical["images"], identical["groups_whose_labels_disagree"]) == (375, 765, 259)

    cells = table[table["split"] == "train"].groupby(["gender", "white"]).size().to_dict()
    assert cells == {(0, 1): frequent, (1, 1): rare, (0, 0): rare, (1, 0): frequent}
    for split in ("val", "test"):
        assert set(table[table["split"] == split].groupby(["gender", "white"]).size()) == {500}
    digests = pd.read_csv("data/packed/u/digests.csv")["sha256"]
    assert digests.is_unique
    assert len(digests) == len(table) == len(packed.images)

    assert manifest["lookalikes"]["pairs"] > 500
    known = {check["what"]: check["agrees"] for check in card["checks"]}
    assert known["White images"]
    assert known["groups of byte-identical images"]
    # The copy at hand may lack one file, a Black man, which the card must then say.
    whole = manifest["acquired"]["images"]["count"] == 23_708
    assert known["images"] == known["Black images"] == known["male images"] == whole
