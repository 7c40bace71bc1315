"""The Slurm profile, on a Slurm of one node that runs for this test alone."""

import os
import re
import secrets
import shutil
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

# Where Slurm's commands look: SLURM_CONF could say otherwise, but Snakemake's plugin hides it from the jobs.
ETC = Path("/etc/slurm")
# The node claims more than it has (config_overrides): the jobs' requests are a GPU machine's, their work is tiny.
SLURM_CONF = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
MinJobAge=86400
SlurmdParameters=config_overrides
GresTypes=gpu
NodeName={host} NodeAddr=127.0.0.1 CPUs=8 RealMemory=64000 Gres=gpu:2
PartitionName=all Nodes=ALL Default=YES State=UP
"""


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A running Slurm that remembers its jobs."""
    for command in ("munged", "slurmctld", "slurmd", "sbatch"):
        if shutil.which(command) is None:
            pytest.skip(f"no {command} here: apt-get install slurm-wlm munge")
    if os.geteuid() != 0:
        pytest.skip("Slurm wants root: run the tests as root, for example in a container")
    if (ETC / "slurm.conf").exists():
        pytest.skip(f"this machine has a Slurm of its own, in {ETC}: run the tests on another")
    folder = tmp_path_factory.mktemp("slurm")
    (folder / "state").mkdir()
    (folder / "munge.key").write_bytes(secrets.token_bytes(128))
    (folder / "munge.key").chmod(0o600)
    host = socket.gethostname().split(".")[0]
    (folder / "slurm.conf").write_text(SLURM_CONF.format(host=host, folder=folder, ports=_free_ports()))
    for number in range(2):
        (folder / f"gpu{number}").touch()
    (folder / "gres.conf").write_text(f"Name=gpu File={folder}/gpu[0-1]\n")
    munge = {"socket": "munge.socket", "key-file": "munge.key", "pid-file": "m.pid", "log-file": "m.log"}
    options = [f"--{name}={folder / file}" for name, file in (munge | {"seed-file": "m.seed"}).items()]
    daemons: list[subprocess.Popen[bytes]] = []

    def start(*command: str) -> None:
        with (folder / f"{command[0]}.out").open("wb") as output:
            daemons.append(subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT))

    def until(ready: Callable[[], bool]) -> None:
        while not ready():
            ended = [daemon.args for daemon in daemons if daemon.poll() is not None]
            said = "\n".join(f"{path.name}:\n{path.read_text()[-1500:]}" for path in folder.glob("*.out"))
            assert not ended, f"{ended}\n{said}"
            time.sleep(0.2)

    try:
        for name in ("slurm.conf", "gres.conf"):
            (ETC / name).unlink(missing_ok=True)  # a link into a folder that is gone
            (ETC / name).symlink_to(folder / name)
        start("munged", "--foreground", "--force", *options)
        until((folder / "munge.socket").exists)
        start("slurmctld", "-D")
        start("slurmd", "-D")
        until(lambda: "idle" in _output("sinfo", "--noheader", "--format=%T"))
        yield
    finally:
        for daemon in reversed(daemons):
            daemon.kill()  # slurmd asked politely waits for a controller that may be gone
            daemon.wait()
        for name in ("slurm.conf", "gres.conf"):
            (ETC / name).unlink(missing_ok=True)


@pytest.mark.usefixtures("slurm")
def test_the_profile_runs_the_plan_through_slurm_to_the_report(workspace: Any):
    profile = ["--workflow-profile", "workflow/profiles/slurm", "--slurm-status-command", "squeue"]
    workspace.run("snakemake", *profile, "--slurm-init-seconds-before-status-checks", "5")
    assert workspace.read("results/tiny/report.html").startswith(b"<!doctype html>")
    assert workspace.to_do() == workspace.stale() == set()
    jobs = _output("scontrol", "--oneliner", "show", "job").splitlines()
    assert [re.findall(r"JobState=(\w+)", job) for job in jobs] == [["COMPLETED"]] * 7
    # A warm-up, a fair phase and two probes ask for a GPU and the rest for none, each for the time of its rule.
    assert sorted("TresPerJob=gres:gpu:1" in job for job in jobs) == [False] * 3 + [True] * 4
    limits = Counter(re.findall(r"TimeLimit=(\S+)", job)[0] for job in jobs)
    days = {"1-00:00:00": 1, "2-00:00:00": 1}
    assert limits == {"01:00:00": 1, "02:00:00": 2, "04:00:00": 1, "12:00:00": 1, **days}


def _free_ports() -> list[int]:
    with socket.socket() as one, socket.socket() as other:
        one.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        return [one.getsockname()[1], other.getsockname()[1]]


def _output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout
