"""The code a stage declares is the code it imports: otherwise the cache would lie, or train for nothing."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from protofair.plan.stages import CODE, code_files

ROOT = Path(__file__).parents[2]
COMMANDS = {
    "acquire": "protofair.data.acquire.command",
    "prepare": "protofair.data.prepare.command",
    "warmup": "protofair.train.command",
    "fair": "protofair.train.command",
    "baseline": "protofair.baselines.command",
    "select": "protofair.probe.command",
    "probe": "protofair.probe.command",
    "tsne": "protofair.probe.command",
    "report": "protofair.report.command",
}


def source(module: str) -> Path | None:
    path = ROOT / Path(*module.split("."))
    for candidate in (path.with_suffix(".py"), path / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None


def imported(path: Path) -> Iterator[str]:
    """The protofair modules a file names in any import, also inside functions, but not for type checking alone."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in for_types:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("protofair"))
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("protofair"):
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def closure(module: str) -> set[str]:
    """Every file that importing a module brings with it, packages included.

    The package's own __init__ is left out: it imports nothing until it is asked for something.
    """
    seen: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        parents = [".".join(name.split(".")[:depth]) for depth in range(2, name.count(".") + 1)]
        for part in (*parents, name):
            path = source(part)
            if path is None or path == ROOT / "protofair/__init__.py":
                continue
            text = str(path.relative_to(ROOT))
            if text not in seen:
                seen.add(text)
                waiting.extend(imported(path))
    return seen


@pytest.mark.parametrize("stage", CODE)
def test_a_stage_imports_no_module_outside_its_declared_code(stage: str):
    undeclared = closure(COMMANDS[stage]) - set(code_files(stage, ROOT))
    assert not undeclared


@pytest.mark.parametrize("stage", CODE)
def test_a_stage_declares_no_code_it_does_not_import(stage: str):
    used = closure(COMMANDS[stage])
    for declared in CODE[stage]:
        if declared.startswith("protofair"):
            assert any(file == declared or file.startswith(f"{declared}/") for file in used), declared


@pytest.mark.parametrize("stage", CODE)
def test_dvc_declares_the_same_code(stage: str):
    stages = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]
    definition = stages[stage].get("do", stages[stage])
    declared = {path for path in definition["deps"] if path.startswith(("protofair/", "docker/", "params/"))}
    assert declared == set(CODE[stage])
