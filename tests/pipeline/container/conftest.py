"""What the images are built on here: a small Debian, and every locked package beside it, so that a build is offline.

Both images share them, and so do later runs of the tests: they lie in .cache/container.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
CACHE = ROOT / ".cache/container"
REMEDIES = {
    "apptainer": "install Apptainer as https://apptainer.org/docs/admin/latest/installation.html says",
    "mmdebstrap": "apt-get install mmdebstrap",
    "buildah": "apt-get install buildah",
    "make": "apt-get install make",
}
PIP = """\
[global]
no-index = true
find-links = /opt/wheels
"""


@dataclass(frozen=True)
class Base:
    """A root folder with Debian and its Python, and a folder of packages that the builds see as /opt/wheels."""

    root: Path
    wheels: Path


@pytest.fixture(scope="session")
def needs() -> Callable[..., None]:
    """Skips the tests of a machine without one of the commands."""

    def check(*commands: str) -> None:
        for command in commands:
            if shutil.which(command) is None:
                pytest.skip(f"no {command} here: {REMEDIES[command]}")

    return check


@pytest.fixture(scope="session")
def base(needs: Callable[..., None], once: Callable[[Path, Callable[[Path], None]], Path]) -> Base:
    needs("mmdebstrap")
    if os.geteuid() != 0:
        pytest.skip("the images want files of root: run the tests as root, for example in a container")
    if sys.version_info[:2] != (3, 11):
        pytest.skip("the packages are for the Python of Debian 12: make clean setup PYTHON=python3.11")
    return Base(root=once(CACHE / "debian-12", _debian), wheels=once(CACHE / f"wheels-{_digest()}", _wheels))


def _debian(root: Path) -> None:
    _run("mmdebstrap", "--mode=root", "--variant=minbase", "--include=python3,python3-venv", "bookworm", str(root))
    for device in (root / "dev").iterdir():  # a build without rights cannot copy devices, and needs none
        shutil.rmtree(device) if device.is_dir() and not device.is_symlink() else device.unlink()
    (root / "etc/pip.conf").write_text(PIP, encoding="utf-8")
    (root / "opt/wheels").mkdir()


def _wheels(folder: Path) -> None:
    folder.mkdir()
    lock = (ROOT / "docker/requirements.lock").read_text(encoding="utf-8")
    packages = re.findall(r"^\w.*?(?=^\w|\Z)", lock, flags=re.MULTILINE | re.DOTALL)
    packages = [package for package in packages if not package.startswith("torch==")]  # its CPU build stands in for it
    parts = [folder / f"{start}.lock" for start in range(6)]  # so that six can wait for the network at once
    for start, part in enumerate(parts):
        part.write_text("".join(packages[start :: len(parts)]), encoding="utf-8")

    def download(part: Path) -> None:
        pip = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes")
        _run(*pip, "--requirement", str(part), "--dest", str(folder))

    with ThreadPoolExecutor(len(parts)) as pool:
        list(pool.map(download, [ROOT / "docker/requirements-cpu.lock", *parts]))


def _digest() -> str:
    locks = ("docker/requirements.lock", "docker/requirements-cpu.lock")
    return hashlib.sha256(b"".join((ROOT / lock).read_bytes() for lock in locks)).hexdigest()[:12]


def _run(*command: str) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
