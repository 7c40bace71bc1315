"""glibc is told to keep memory, in words it understands."""

import ctypes
import platform
from types import SimpleNamespace

import pytest

from protofair.train.device import keep_freed_memory

REAL = ctypes.CDLL(None)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the allocator is that of glibc")
def test_glibc_accepts_both_thresholds(monkeypatch: pytest.MonkeyPatch):
    answers = {}

    def mallopt(parameter: int, value: int) -> int:
        answers[parameter] = REAL.mallopt(parameter, value)
        return answers[parameter]

    monkeypatch.setattr(ctypes, "CDLL", lambda _: SimpleNamespace(mallopt=mallopt))
    keep_freed_memory()
    assert answers == {-1: 1, -3: 1}  # M_TRIM_THRESHOLD and M_MMAP_THRESHOLD; 0 is a refusal


def test_another_c_library_is_left_alone(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ctypes, "CDLL", lambda _: SimpleNamespace())
    keep_freed_memory()
