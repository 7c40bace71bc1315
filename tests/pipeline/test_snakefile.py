"""The Snakefile can be read however Snakemake is called."""

from typing import Any


def test_unlocking_asks_for_no_number_of_cores(workspace: Any):
    workspace.run("snakemake", "--unlock")


def test_a_cluster_is_given_jobs_and_no_cores(workspace: Any):
    done = workspace.run(
        "snakemake", "--workflow-profile", "workflow/profiles/slurm", "--dry-run", "--executor", "slurm"
    )
    assert "warmup" in done.stdout
