"""Seconds to write the report of the paper's whole suite: every cell done, three seeds, test sets as large as CelebA's.

python -m bench.report
"""

import importlib.util
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import ModuleType

from bench.table import Row, at_most, beside, show
from protofair.plan.check import read_suite
from protofair.plan.narrow import narrow
from protofair.plan.resolve import resolve
from protofair.report.reference import read_reference

ROWS, SEEDS, TARGET = 19_962, [0, 1, 2], 20.0
ROOT = Path(__file__).parents[1]


def main() -> list[Row]:
    plan = resolve(narrow(read_suite(ROOT / "params" / "paper.yaml"), seeds=SEEDS, only=None))
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "params").mkdir()
        shutil.copy(ROOT / "params" / "reference.yaml", root / "params")
        (root / "params" / "plan.yaml").write_text(plan.text(), encoding="utf-8")
        reference = read_reference(ROOT / "params" / "reference.yaml")
        _fabricator().fabricate(plan, root, reference, rows=ROWS)
        start = time.perf_counter()
        subprocess.run([sys.executable, "-m", "protofair", "report", "--root", folder], check=True, capture_output=True)
        seconds = time.perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    what = f"report: the paper's suite, {len(SEEDS)} seeds, {len(plan.probe)} probes of {ROWS:,} test images"
    return [
        at_most(what, seconds, TARGET, " s"),
        beside(f"{what}, seconds of a core", used.ru_utime + used.ru_stime, " s"),
    ]


def _fabricator() -> ModuleType:
    """The tests' module that makes results up: tests are no package."""
    spec = importlib.util.spec_from_file_location("fabricate", ROOT / "tests" / "report" / "fabricate.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    print(show(main()))
