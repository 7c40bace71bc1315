"""One thread a process: several run at once, and small problems are slower on many."""

import os

import pytest

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("DVC_NO_ANALYTICS", "1")


def pytest_xdist_auto_num_workers() -> int:
    """More than there are cores: some tests wait, for Slurm, for a browser or for a package, and none is timed."""
    return len(os.sched_getaffinity(0)) + 2


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Not last, as the alphabet has it: a minute that one worker would spend alone."""
    items.sort(key=lambda item: item.path.name != "test_resume.py")
