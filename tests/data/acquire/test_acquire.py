"""The whole stage, as a person or a pipeline calls it."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import requests
import yaml

from protofair import cli
from protofair.core.errors import UserError
from protofair.data.acquire.config import Acquire
from protofair.data.acquire.run import acquire
from protofair.data.acquire.table import Table, read_table
from protofair.data.raw import find_images

ROOT = Path(__file__).parents[3]
SOURCES = ROOT / "params" / "sources.yaml"
NAMES = r"[0-9]+_.*[.]chip[.]jpg"


@pytest.fixture
def table(utkface) -> Table:
    dataset = utkface.dataset(names=NAMES, also={"UTKFace.tar.gz": ["UTKFace.tar"]})
    return Table(version=1, datasets={"utkface": dataset})


@pytest.fixture
def run(table, tmp_path):
    def run(data: str = "data", from_dir: str | None = None, **options) -> bytes:
        where = None if from_dir is None else tmp_path / from_dir
        quiet = {"accept_licence": True, "say": lambda _: None} | options
        config = Acquire(dataset="utkface")
        return acquire("utkface", config, table=table, data=tmp_path / data, from_dir=where, **quiet).read_bytes()

    return run


@pytest.fixture
def write_sources(tmp_path):
    def write(table: Table) -> Path:
        path = tmp_path / "sources.yaml"
        path.write_text(yaml.safe_dump(table.model_dump(mode="json")))
        return path

    return write


def command(*arguments: object) -> int:
    """The exit code of `protofair acquire ...` in this process."""
    with pytest.raises(SystemExit) as exit_:
        cli.main(["acquire", *map(str, arguments)])
    return exit_.value.code


def test_the_declaration_of_the_official_archive(run, utkface, tmp_path):
    utkface.write(tmp_path / "mine", "UTKFace.tar.gz")
    record = json.loads(run(from_dir="mine"))
    (file,) = record["files"]
    assert file["verified"]
    assert file["name"] == file["official_name"] == "UTKFace.tar.gz"
    assert record["images"]["count"] == record["images"]["official_count"] == 8
    assert record["images"]["layout"] == "tar"
    assert record["notes"] == []


def test_the_same_files_give_the_same_bytes_everywhere(run, utkface, tmp_path):
    """Two people, two places, two ways to cut the folder, two times."""
    utkface.extract(tmp_path / "mine" / "UTKFace")
    names = list(utkface.images)
    utkface.extract(tmp_path / "yours" / "deep" / "part1", names[:3])
    utkface.extract(tmp_path / "yours" / "deep" / "part2", names[3:])
    for path in (tmp_path / "yours").rglob("*.jpg"):
        os.utime(path, (1, 1))
    mine, yours = run(data="data", from_dir="mine"), run(data="elsewhere/data", from_dir="yours")
    assert mine == yours
    assert str(tmp_path).encode() not in mine


def test_other_images_give_other_bytes(run, utkface, tmp_path):
    utkface.extract(tmp_path / "mine")
    first = json.loads(run(from_dir="mine"))
    path = tmp_path / "mine" / next(iter(utkface.images))
    path.write_bytes(path.read_bytes()[::-1])  # same name, same size
    os.utime(path, (1, 1))
    second = json.loads(run(from_dir="mine"))
    assert first["images"]["sha256"] != second["images"]["sha256"]


def test_the_content_is_the_same_whether_packed_or_not(run, utkface, tmp_path):
    utkface.write(tmp_path / "packed", "UTKFace.tar.gz")
    utkface.extract(tmp_path / "open")
    packed = json.loads(run(data="a", from_dir="packed"))["images"]
    open_ = json.loads(run(data="b", from_dir="open"))["images"]
    assert packed["sha256"] == open_["sha256"]


def test_a_second_run_reads_no_image_and_asks_for_nothing(run, utkface, tmp_path, monkeypatch):
    utkface.write(tmp_path / "mine", "UTKFace.tar.gz")
    first = run(from_dir="mine")
    (tmp_path / "data" / "acquired" / "utkface.json").unlink()  # as DVC and Snakemake do before a job
    monkeypatch.setattr(requests.Session, "get", lambda *_, **__: pytest.fail("asked the network"))
    monkeypatch.setattr("protofair.data.acquire.run.images_digest", lambda _: pytest.fail("read the images"))
    assert run() == first


def test_notes_tell_what_is_not_as_it_should_be(run, utkface, tmp_path):
    said = []
    utkface.extract(tmp_path / "mine", list(utkface.images)[:7])
    record = json.loads(run(from_dir="mine", say=said.append))
    assert any("7 images, the official set has 8" in note for note in record["notes"])
    assert any("not verified by an archive's hash" in note for note in record["notes"])
    assert set(record["notes"]) <= set(said)


def test_a_failure_declares_nothing(run, tmp_path, monkeypatch):
    monkeypatch.setattr("protofair.data.acquire.web.time.sleep", lambda _: None)
    with pytest.raises(UserError, match="no mirror gave it"):
        run()
    assert not (tmp_path / "data" / "acquired").exists()


def test_no_licence_no_file(run, utkface, tmp_path):
    utkface.write(tmp_path / "mine", "UTKFace.tar.gz")
    with pytest.raises(UserError, match="accept-licence"):
        run(from_dir="mine", accept_licence=False)
    assert not list((tmp_path / "data").rglob("UTKFace*"))


@pytest.mark.parametrize(("dataset", "layout"), [("celeba", "zip"), ("utkface", "tar"), ("nih", "tar")])
def test_drawn_data_takes_the_same_way(tmp_path, dataset, layout):
    config = Acquire(dataset=dataset, source="toy", images=6, seed=3)
    data = [tmp_path / "a", tmp_path / "b"]
    first, second = (
        acquire("toy", config, table=read_table(SOURCES), data=path, say=lambda _: None).read_bytes() for path in data
    )
    assert first == second
    record = json.loads(first)
    assert record["source"] == "toy"
    assert record["toy"] == {"images": 6, "seed": 3, "correlation": None}
    assert record["images"]["layout"] == layout
    assert record["images"]["count"] == len(find_images(tmp_path / "a" / "raw" / "toy")) == 6
    assert "licence" not in record


def test_drawing_again_leaves_nothing_of_the_last_time(tmp_path):
    def draw(dataset: str, images: int) -> dict:
        config = Acquire(dataset=dataset, source="toy", images=images)
        declaration = acquire("toy", config, table=read_table(SOURCES), data=tmp_path, say=lambda _: None)
        return json.loads(declaration.read_text())["images"]

    assert draw("celeba", 6)["count"] == 6
    assert draw("celeba", 4)["count"] == 4
    assert draw("celeba", 4)["damaged"] == []
    assert draw("utkface", 5)["count"] == 5


def test_drawings_and_official_files_never_share_a_folder(run, table, utkface, tmp_path):
    utkface.write(tmp_path / "mine", "UTKFace.tar.gz")
    run(from_dir="mine")
    toy = Acquire(dataset="utkface", source="toy", images=3)
    with pytest.raises(UserError, match="were not drawn"):
        acquire("utkface", toy, table=table, data=tmp_path / "data")
    assert (tmp_path / "data" / "raw" / "utkface" / "UTKFace.tar.gz").exists()
    acquire("utkface", toy, table=table, data=tmp_path / "other", say=lambda _: None)
    with pytest.raises(UserError, match="holds drawn data"):
        run(data="other", from_dir="mine")


def test_the_command_reads_the_plan(tmp_path, capsys):
    plan = tmp_path / "plan.yaml"
    plan.write_text("acquire: {faces-toy: {dataset: celeba, source: toy, images: 4}}\n")
    assert command("faces-toy", "--plan", plan, "--sources", SOURCES, "--out", tmp_path / "data") == 0
    declaration = tmp_path / "data" / "acquired" / "faces-toy.json"
    assert capsys.readouterr().out.strip() == str(declaration)
    assert json.loads(declaration.read_text())["toy"]["images"] == 4


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{dataset: celeba, sauce: toy}", "source"),
        ("{dataset: celeba, source: toys}", "'toys'"),
        ("{dataset: celeba, images: 4}", "for source: toy only"),
        (
            "{dataset: celebb, source: toy}",
            "plan.yaml: acquire.faces: dataset: no data set 'celebb'. Did you mean 'celeba'",
        ),
        ("{source: toy}", "dataset"),
    ],
)
def test_a_wrong_entry_of_the_plan_is_exit_code_2(tmp_path, capsys, entry, message):
    plan = tmp_path / "plan.yaml"
    plan.write_text(f"acquire: {{faces: {entry}}}\n")
    assert command("faces", "--plan", plan, "--sources", SOURCES, "--out", tmp_path / "data") == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["celebs"], "Did you mean 'celeba'"),
        (["../celeba"], "letters, digits"),
        (["celeba", "--plan", "none.yaml"], "none.yaml: no such file"),
        (["celeba", "--from-dir", "nowhere"], "nowhere: no such folder"),
    ],
)
def test_a_wrong_call_is_exit_code_2(tmp_path, capsys, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert command(*arguments, "--sources", SOURCES, "--accept-licence") == 2
    assert message in capsys.readouterr().err


def test_the_environment_stands_for_the_options(utkface, table, write_sources, tmp_path, monkeypatch):
    utkface.write(tmp_path / "mine", "UTKFace.tar.gz")
    monkeypatch.setenv("PROTOFAIR_DATA_DIR", str(tmp_path / "mine"))
    monkeypatch.setenv("PROTOFAIR_ACCEPT_LICENCE", "1")
    assert command("utkface", "--sources", write_sources(table), "--out", tmp_path / "data") == 0


def test_a_killed_download_goes_on_where_it_was(utkface, server, write_sources, tmp_path):
    """Through the hub's address, as huggingface_hub makes it from HF_ENDPOINT; kill -9 in the middle."""
    content = utkface.files["UTKFace.tar.gz"] + b"\0" * 2**18
    utkface.files["UTKFace.tar.gz"] = content
    path = "/datasets/some/faces/resolve/main/UTKFace.tar.gz"
    server.files[path] = content
    server.faults[path] = [server.stall(2**17)]
    dataset = utkface.dataset(names=NAMES).model_dump(mode="json")
    hub = {"kind": "hub", "repo": "some/faces", "path": "UTKFace.tar.gz"}
    dataset["files"]["UTKFace.tar.gz"]["sources"] = [hub]
    sources = write_sources(Table(version=1, datasets={"utkface": dataset}))
    line = [sys.executable, "-m", "protofair", "acquire", "utkface", "--accept-licence"]
    line += ["--sources", str(sources), "--out", str(tmp_path / "data")]
    environment = os.environ | {"HF_ENDPOINT": server.address, "NO_PROXY": "127.0.0.1"}
    part = tmp_path / "data" / "raw" / "utkface" / "UTKFace.tar.gz.part"

    process = subprocess.Popen(line, cwd=ROOT, env=environment, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 60
        while not (part.exists() and part.stat().st_size == 2**17):
            assert process.poll() is None, "it ended by itself"
            assert time.monotonic() < until, "it does not get on"
            time.sleep(0.02)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()

    subprocess.run(line, cwd=ROOT, env=environment, check=True, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    assert server.asked == [(path, None), (path, f"bytes={2**17}-")]
    assert (tmp_path / "data" / "raw" / "utkface" / "UTKFace.tar.gz").read_bytes() == content
    record = json.loads((tmp_path / "data" / "acquired" / "utkface.json").read_text())
    assert record["files"][0]["verified"]


def test_raw_files_are_no_output_that_dvc_would_push():
    stages = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]
    declared = [str(out) for stage in stages.values() for out in stage.get("do", stage).get("outs", [])]
    assert any("data/acquired" in out for out in declared)
    assert not any("data/raw" in out for out in declared)


def real_utkface() -> Path | None:
    """The real archive, where somebody has it."""
    places = [os.environ.get("PROTOFAIR_DATA_DIR"), ROOT.parent / "shared" / "data"]
    return next((Path(place) for place in places if place and (Path(place) / "UTKFace.tar").is_file()), None)


def test_the_real_faces(tmp_path):
    folder = real_utkface()
    if folder is None:
        pytest.skip("needs UTKFace.tar; name its folder: PROTOFAIR_DATA_DIR=DIR make test")
    arguments = ["--sources", SOURCES, "--from-dir", folder, "--out", tmp_path, "--accept-licence"]
    assert command("utkface", *arguments) == 0
    record = json.loads((tmp_path / "acquired" / "utkface.json").read_text())
    assert record["images"] == {
        "layout": "tar",
        "count": 23707,
        "bytes": 119980274,
        "sha256": "90c9b779b28e47b426e1eb700abcf6f91f038dcd94904c67d6d8b5b23f1ea312",
        "damaged": [],
        "official_count": 23708,
    }
    assert record["files"][0]["verified"] is False
    assert "UTKFace.tar stands for UTKFace.tar.gz" in record["notes"][0]
    shutil.rmtree(tmp_path / "raw")  # a link, not worth keeping until the next run
