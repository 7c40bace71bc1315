"""The command line as a whole: help that teaches, errors without tracebacks."""

import subprocess
import sys

import pytest

from protofair.cli import COMMANDS


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "protofair", *arguments], capture_output=True, text=True, check=False)


def test_help_lists_every_command_without_importing_torch():
    code = """
import sys
from protofair.cli import main
try:
    main(["--help"])
except SystemExit:
    assert "torch" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name in COMMANDS:
        assert f"  {name} " in done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str):
    done = run(name, "--help")
    assert done.returncode == 0, done.stderr
    assert "Usage: protofair" in done.stdout
    assert len(done.stdout.splitlines()) > 8, "help that teaches has more than a usage line"


def test_an_unknown_command_is_exit_code_2():
    done = run("porbe")
    assert done.returncode == 2
    assert "No such command 'porbe'" in done.stderr


@pytest.mark.parametrize("name", ["warmup", "fair", "probe", "prepare", "acquire"])
def test_a_missing_plan_is_one_clear_line(name: str, tmp_path):
    done = run(name, "some-key", "--plan", str(tmp_path / "absent.yaml"))
    assert done.returncode == 2
    assert "absent.yaml" in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("package", ["click", "pydantic"])
def test_the_regulariser_alone_says_what_its_commands_need(package: str):
    code = f"import sys; sys.modules['{package}'] = None; sys.argv = ['protofair', 'plan', 'demo']\n"
    code += "from protofair.__main__ import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == f"protofair: there is no '{package}'. Install it: pip install 'protofair[pipeline]'\n"


def test_a_file_that_cannot_be_written_is_one_line_and_exit_code_2():
    done = run("toy", "--sheet", "/proc/sheet.png")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "Check the path and its permissions." in done.stderr
