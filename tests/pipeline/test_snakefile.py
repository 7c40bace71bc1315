"""The Snakefile can be read however Snakemake is called."""

from pathlib import Path
from typing import Any

import pytest
import yaml

PROFILES = Path(__file__).parents[2] / "workflow/profiles"


def test_unlocking_asks_for_no_number_of_cores(workspace: Any):
    workspace.run("snakemake", "--unlock")


def test_a_plan_changed_by_hand_is_refused_because_dvc_would_not_see_it(workspace: Any):
    workspace.change("params/plan.yaml", "seed: 0", "seed: 1")
    done = workspace.run("snakemake", "--cores", "2", "--dry-run", check=False)
    assert done.returncode != 0
    assert "Write both anew: protofair plan tiny" in done.stdout + done.stderr


def test_a_cluster_is_given_jobs_and_no_cores(workspace: Any):
    done = workspace.run(
        "snakemake", "--workflow-profile", "workflow/profiles/slurm", "--dry-run", "--executor", "slurm"
    )
    assert "warmup" in done.stdout


@pytest.mark.parametrize("cluster", [folder.name for folder in PROFILES.iterdir()])
def test_the_same_command_goes_on_after_a_crash_on_a_cluster_too(cluster: str):
    """A profile that is named takes the place of profiles/default."""
    default, named = (
        yaml.safe_load((folder / "config.yaml").read_text(encoding="utf-8"))
        for folder in (PROFILES.parents[1] / "profiles/default", PROFILES / cluster)
    )
    assert default.items() <= named.items()
