# The pipeline as a DAG of jobs; each job asks DVC for one stage, so nothing that is in the cache is run again.
#   protofair plan demo|mini|paper          choose what to run
#   snakemake --cores 8 --use-singularity   run it in the container (without the flag: in this environment)
from snakemake.settings.types import DeploymentMethod
from snakemake.utils import min_version

from protofair.plan.container import ready_container
from protofair.plan.devices import gpus
from protofair.plan.plan import Plan
from protofair.plan.stages import code_hashes, entry_file, write_entries

min_version("9.0")

plan = Plan.read()
results = f"results/{plan.suite}"
write_entries(plan)
if DeploymentMethod.APPTAINER in workflow.deployment_settings.deployment_method:
    ready_container()


container: "docker/protofair.sif"


wildcard_constraints:
    key=r"[A-Za-z0-9_-]+",


# On one machine a job that asks for a GPU waits until one is free; without any, the cores are the limit. A cluster, which
# Snakemake gives jobs instead of cores, counts its own.
if workflow.resource_settings.nodes is None:
    workflow.register_resource("gpu", gpus() or workflow.resource_settings.cores or 1)

# The rules' priorities let long chains begin first: whatever others wait for goes before what nobody does. That of packing is
# above two others' together: it takes all cores, and would wait for ever while single ones are given away.

# DVC runs the stage or takes it from its cache. What it says goes to the log; a failure shows the end of it.
repro = "dvc --wait-for-lock repro --single-item {params.stage} > {log} 2>&1 || {{ tail -n 20 {log} >&2; exit 1; }}"


include: "workflow/rules/data.smk"
include: "workflow/rules/train.smk"
include: "workflow/rules/measure.smk"
include: "workflow/rules/report.smk"


rule all:
    """The report of the active plan."""
    default_target: True
    input:
        report=f"{results}/report.html",
