"""docker/Dockerfile builds, and what it builds passes its self-test."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
Buildah = Callable[..., str]


@pytest.fixture(scope="module")
def buildah(needs: Callable[..., None], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Buildah]:
    """Buildah with a storage of its own, for which it takes the fastest driver that works here."""
    needs("buildah")
    folder = tmp_path_factory.mktemp("buildah")
    storage = ["--root", str(folder / "root"), "--runroot", str(folder / "run")]

    def run(*command: str) -> str:
        done = subprocess.run(["buildah", *storage, *command], cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        return done.stdout.strip()

    yield run
    run("rm", "--all")
    run("rmi", "--all", "--force")


@pytest.fixture(scope="module")
def container(base: Any, buildah: Buildah) -> str:
    """A container of the image that the Dockerfile gives on the base, without CUDA."""
    empty = buildah("from", "scratch")
    buildah("add", "--quiet", empty, str(base.root), "/")
    buildah("config", "--env", "PIP_COMPILE=0", empty)  # takes longer than one import without bytecode
    buildah("commit", "--quiet", "--rm", empty, "protofair-base")
    wheels = ["--volume", f"{base.wheels}:/opt/wheels:ro"]
    arguments = ["--build-arg", "BASE=localhost/protofair-base", "--build-arg", "TORCH=cpu"]
    where = ["--isolation", "chroot", "--file", "docker/Dockerfile", "--tag", "protofair", "."]
    buildah("build", "--format", "docker", "--pull-never", *wheels, *arguments, *where)
    return buildah("from", "--pull-never", "localhost/protofair")


def test_the_self_test_passes_as_a_user_without_rights(buildah: Buildah, container: str):
    run = ["run", "--isolation", "chroot", container, "--"]
    assert "a training step on cpu works" in buildah(*run, "python", "/opt/build/selftest.py")
    assert buildah(*run, "id", "--user", "--name") == "protofair"


def test_the_health_check_is_the_self_test(buildah: Buildah, container: str):
    shown = buildah("inspect", "--format", "{{.Docker.Config.Healthcheck.Test}}", container)
    assert shown == "[CMD python /opt/build/selftest.py]"
