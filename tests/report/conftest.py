"""Suites with every result in place, made up by `fabricate.py`."""

import importlib.util
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from protofair.plan.check import read_suite
from protofair.plan.narrow import narrow
from protofair.plan.plan import Plan
from protofair.plan.resolve import resolve
from protofair.report.build import build
from protofair.report.model import ReportModel
from protofair.report.reference import read_reference

REPOSITORY = Path(__file__).parents[2]


def _module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fabricate", Path(__file__).with_name("fabricate.py"))
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def make_plan(suite: str, *, seeds: list[int] | None = None, only: list[str] | None = None) -> Plan:
    """The plan of one of the project's suites."""
    return resolve(narrow(read_suite(REPOSITORY / "params" / f"{suite}.yaml"), seeds=seeds, only=only))


@pytest.fixture(scope="session")
def plan_of() -> Callable[..., Plan]:
    return make_plan


@pytest.fixture(scope="session")
def fabricate() -> Callable[..., None]:
    """fabricate(plan, root, effect=1.0, control=0.3, rows=1000): fill a folder with a suite's results."""
    function = _module().fabricate
    reference = read_reference(REPOSITORY / "params" / "reference.yaml")

    def fill(plan: Plan, root: Path, **options: float) -> None:
        (root / "params").mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / "params" / "reference.yaml", root / "params")
        function(plan, root, reference, **options)

    return fill


@pytest.fixture
def damage() -> Iterator[Callable[[Path, str | bytes | None], None]]:
    """damage(path, content): a file of a shared suite with another content, or removed, for one test."""
    kept: dict[Path, bytes] = {}

    def change(path: Path, content: str | bytes | None) -> None:
        if path not in kept:
            kept[path] = path.read_bytes()
        if content is None:
            path.unlink()
        else:
            path.write_bytes(content.encode() if isinstance(content, str) else content)

    yield change
    for path, content in kept.items():
        path.write_bytes(content)


@pytest.fixture(scope="session")
def paper_plan() -> Plan:
    return make_plan("paper", seeds=[0, 1, 2])


@pytest.fixture(scope="session")
def paper_root(paper_plan: Plan, fabricate: Callable[..., None], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The paper's whole suite with three seeds, done. Not to be written to."""
    root: Path = tmp_path_factory.mktemp("paper")
    fabricate(paper_plan, root)
    return root


@pytest.fixture(scope="session")
def paper_report(paper_plan: Plan, paper_root: Path) -> ReportModel:
    return build(paper_plan, paper_root)


@pytest.fixture(scope="session")
def demo_plan() -> Plan:
    return make_plan("demo", seeds=[0, 1])


@pytest.fixture(scope="session")
def demo_root(demo_plan: Plan, fabricate: Callable[..., None], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's suite with two seeds, done, and its plan. Not to be written to, the report aside."""
    root: Path = tmp_path_factory.mktemp("demo")
    fabricate(demo_plan, root, rows=400)
    (root / "params" / "plan.yaml").write_text(demo_plan.text(), encoding="utf-8")
    return root
