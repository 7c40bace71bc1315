"""The container the Snakefile's jobs run in, when Snakemake is asked for it."""

import os
from pathlib import Path

from protofair.plan.devices import has_driver

IMAGE = Path("docker/protofair.sif")


def ready_container() -> None:
    """Refuse to start without the image; pass the GPUs through where there is a driver for them."""
    if not IMAGE.is_file():
        # Not a UserError: Snakemake would show that with the lines of code it comes from.
        raise SystemExit(f"protofair: --use-singularity needs {IMAGE}, which is not there. Build it: make image")
    if has_driver():
        os.environ.setdefault("APPTAINER_NV", "1")
