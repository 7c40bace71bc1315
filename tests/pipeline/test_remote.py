"""A colleague's results: `dvc push` here, `dvc pull` there, and nothing is trained again."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

import boto3
import pytest
from moto.server import ThreadedMotoServer

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Remote:
    """Where to push to: its address, how to get in, and the paths of what lies there."""

    url: str
    names: Callable[[], list[str]]
    settings: dict[str, str] = field(default_factory=dict)

    def add_to(self, workspace: Any) -> None:
        workspace.run("dvc", "remote", "add", "--local", "--default", "shared", self.url)
        for name, value in self.settings.items():
            workspace.run("dvc", "remote", "modify", "--local", "shared", name, value)

    def hashes(self) -> set[str]:
        """The MD5 of each file: DVC names them so, cut in two."""
        return {"".join(PurePath(name).parts[-2:]) for name in self.names()}


@pytest.fixture(params=["folder", "s3"])
def remote(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Remote]:
    if request.param == "folder":
        folder = tmp_path / "remote"
        yield Remote(str(folder), lambda: [str(path) for path in folder.rglob("*") if path.is_file()])
        return
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    endpoint = "http://{}:{}".format(*server.get_host_and_port())
    access = {"access_key_id": "test", "secret_access_key": "test"}
    secrets = {f"aws_{name}": value for name, value in access.items()}
    s3 = boto3.resource("s3", endpoint_url=endpoint, region_name="us-east-1", **secrets)
    bucket = s3.create_bucket(Bucket="ours")
    settings = {"endpointurl": endpoint, "region": "us-east-1", **access}
    yield Remote("s3://ours/protofair", lambda: [item.key for item in bucket.objects.all()], settings)
    server.stop()


def test_pushed_results_are_pulled_elsewhere_and_nothing_is_trained_again(
    finished: Any, remote: Remote, copy_of: Callable[[Any], Any], clone_of: Callable[[Any], Any]
):
    ours = copy_of(finished)
    remote.add_to(ours)
    ours.run("dvc", "push")
    pushed = remote.hashes()
    assert hashlib.md5(ours.read("results/tiny/report.html")).hexdigest() in pushed
    raw = [path for path in (ours.path / "data/raw").rglob("*") if path.is_file() and path.stat().st_size]
    assert len(raw) > 1
    assert not {hashlib.md5(path.read_bytes()).hexdigest() for path in raw} & pushed

    theirs = clone_of(ours)
    remote.add_to(theirs)
    theirs.run("dvc", "pull")
    assert theirs.stale() == set()
    # Pulled files are in no order of time: Snakemake is told that they are up to date.
    theirs.snakemake("--touch")
    assert theirs.to_do() == set()
    # Asked all the same, DVC answers from its cache.
    theirs.snakemake("--forceall")
    assert theirs.to_do() == theirs.stale() == set()
    assert results_of(theirs) == results_of(ours)  # run.json has the time at which a run was finished
    assert not (theirs.path / "data/raw").exists()


def results_of(workspace: Any) -> dict[str, bytes]:
    folder = workspace.path / "results/tiny"
    files = [path for path in folder.rglob("*.*") if path.suffix in {".html", ".json", ".jsonl", ".pt"}]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
