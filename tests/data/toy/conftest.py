"""Run a plan on the drawings with the commands a user gives: nothing is trained or measured by a test itself."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml

SOURCES = Path(__file__).parents[3] / "params" / "sources.yaml"
# Importing torch takes as long as a fifth of so small a training: once for many commands, not once for each.
COMMANDS = """
import sys
from protofair.cli import protofair
for line in sys.stdin:
    protofair.main(args=line.split(), standalone_mode=False)
"""


def run_stages(folder: Path, stages: list[tuple[str, str]]) -> None:
    """Stages one after the other, on one core, so that the numbers do not depend on how many there are."""
    done = subprocess.run(
        [sys.executable, "-c", COMMANDS],
        input="\n".join(f"{stage} {key}" for stage, key in stages),
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def run_plan(tmp_path_factory: pytest.TempPathFactory) -> Callable[[dict[str, Any]], dict[str, dict[str, Any]]]:
    """run_plan(plan): by the key of its probe, what came out on the test images of the probe's first task."""

    def run(plan: dict[str, Any]) -> dict[str, dict[str, Any]]:
        folder = tmp_path_factory.mktemp(plan["suite"])
        (folder / "params").mkdir()
        (folder / "params" / "plan.yaml").write_text(yaml.safe_dump(plan))
        (folder / "params" / "sources.yaml").symlink_to(SOURCES)
        run_stages(folder, [(stage, key) for stage in ("acquire", "prepare") for key in plan[stage]])

        def of_seed(seed: int) -> None:
            order = ("warmup", "fair", "baseline", "probe")
            entries = [(stage, key, entry) for stage in order for key, entry in plan.get(stage, {}).items()]
            run_stages(folder, [(stage, key) for stage, key, entry in entries if entry["seed"] == seed])

        seeds = sorted({entry["seed"] for entry in plan["probe"].values()})
        with ThreadPoolExecutor(len(seeds)) as pool:
            list(pool.map(of_seed, seeds))
        found = {key: folder / "results" / plan["suite"] / "probe" / key / "metrics.json" for key in plan["probe"]}
        return {key: json.loads(path.read_text())["tasks"][0]["test"] for key, path in found.items()}

    return run
