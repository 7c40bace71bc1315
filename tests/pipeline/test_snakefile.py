"""The Snakefile can be read however Snakemake is called."""

from typing import Any


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
