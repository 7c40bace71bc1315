"""`protofair doctor`: is this machine ready?"""

import sys

import click

GLYPHS = {"ok": "✓", "missing": "✗", "note": "·"}


@click.command()
def doctor() -> None:
    """Check the machine and say what is there (✓), what is missing (✗) and what is worth knowing (·), with the remedy.

    \b
    Looks at Python, torch and its CUDA, GPUs, the container runtime and image, disk space for the active plan,
    the plan's data sets, DVC's remote, and locks or unfinished runs left over. The exit code is 1 if anything that
    the active plan needs is missing.
    """
    from protofair.doctor.checks import findings

    found = list(findings())
    width = max(len(finding.what) for finding in found)
    for finding in found:
        click.echo(f"{GLYPHS[finding.state]} {finding.what:{width}}  {finding.found}")
        if finding.remedy:
            click.echo(f"  {'':{width}}  → {finding.remedy}")
    if any(finding.state == "missing" for finding in found):
        sys.exit(1)
