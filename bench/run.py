"""Every benchmark in a process of its own, so that threads, memory and caches of one do not reach the next."""

import importlib
import multiprocessing
import pkgutil
from concurrent.futures import ProcessPoolExecutor

import bench
from bench.table import Row

NOT_BENCHMARKS = ("__main__", "run", "table")


def names() -> list[str]:
    return [module.name for module in pkgutil.iter_modules(bench.__path__) if module.name not in NOT_BENCHMARKS]


def measure(name: str) -> list[Row]:
    """The rows of a benchmark; one that fails has a row that says so, and the others still run."""
    try:
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
            return pool.submit(_rows, name).result()
    except Exception as error:
        return [Row(name, "", "", f"failed: {type(error).__name__}: {error}")]


def _rows(name: str) -> list[Row]:
    rows: list[Row] = importlib.import_module(f"bench.{name}").main()
    return rows
