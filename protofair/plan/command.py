"""`protofair plan`: choose what runs."""

import difflib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from protofair.core.errors import UserError

if TYPE_CHECKING:
    from protofair.plan.plan import Plan

SUITES = Path("params")
NOT_SUITES = ("plan", "reference", "sources")


def _numbers(_: click.Context, __: click.Parameter, value: str | None) -> list[int] | None:
    try:
        numbers = None if value is None else [int(part) for part in value.split(",")]
    except ValueError:
        numbers = [-1]
    if numbers and min(numbers) < 0:
        raise click.BadParameter(f"'{value}' is not a list of whole numbers such as 0,1,2")
    return numbers


@click.command()
@click.argument("suite", required=False)
@click.option("--seeds", callback=_numbers, help="Run every training with these seeds, such as 0,1,2.")
@click.option("--only", help="Cut the suite down to tables, figures or data sets, such as table1 or table4,ablation.")
@click.option("--full", is_flag=True, help="Run also what the suite leaves out for time: every row of the tables.")
@click.option("--check", is_flag=True, help="Write nothing; fail with a diff if params/plan.yaml is not up to date.")
@click.option("--cost", is_flag=True, help="Write nothing; print what the suite would cost, shared and unshared.")
@click.option("--explain", metavar="CELL", help="Write nothing; say which stages a cell such as 'table1/SupCon' needs.")
def plan(
    suite: str | None,
    seeds: list[int] | None,
    only: str | None,
    full: bool,
    check: bool,
    cost: bool,
    explain: str | None,
) -> None:
    """Resolve a suite (params/SUITE.yaml: demo, methods, mini, paper) into params/plan.yaml for DVC and Snakemake.

    \b
      protofair plan demo                  the paper in miniature, on drawings: minutes on a laptop
      protofair plan demo --full           the same with every method, each in every column
      protofair plan paper --seeds 0,1,2   everything, three times
      protofair plan paper --cost          what that would take
      protofair plan --explain table4      where the numbers of a table come from

    Without SUITE the active plan is taken, with the options it was written with.
    """
    from protofair.core.atomic import write_text
    from protofair.core.strict import did_you_mean
    from protofair.plan.check import read_suite
    from protofair.plan.cost import cost_table
    from protofair.plan.explain import explanation
    from protofair.plan.narrow import narrow, with_full
    from protofair.plan.plan import PLAN, Plan
    from protofair.plan.resolve import resolve

    if sum((check, cost, explain is not None)) > 1:
        raise click.UsageError("--check, --cost and --explain: one at a time")
    active = Plan.read() if suite is None or check else None
    if active is not None and suite in (None, active.suite):
        suite = active.suite
        seeds = seeds or active.options.get("seeds")
        only = only or ",".join(active.options.get("only", [])) or None
        full = full or active.options.get("full", False)
    path = SUITES / f"{suite}.yaml"
    parts = only.split(",") if only else None
    if not path.is_file():
        known = {file.stem for file in SUITES.glob("*.yaml")}.difference(NOT_SUITES)
        raise UserError(f"{path}: no such suite. {did_you_mean(str(suite), known)}")
    asked = read_suite(path)
    resolved = resolve(narrow(with_full(asked) if full else asked, seeds=seeds, only=parts))
    resolved.options = {name: value for name, value in (("seeds", seeds), ("only", parts), ("full", full)) if value}

    if cost:
        click.echo(cost_table(resolved))
    elif explain is not None:
        click.echo(explanation(resolved, explain))
        click.echo(f"The commands are for this plan: {resolved.command}")
    elif check:
        _compare(resolved)
    else:
        for file, text in resolved.files().items():
            write_text(file, text)
        counts = ", ".join(
            f"{len(getattr(resolved, stage))} {stage}" for stage in ("warmup", "fair", "baseline", "probe")
        )
        click.echo(f"{PLAN}: {suite}, {counts}. Run it: snakemake --cores all, or dvc repro")


def _compare(resolved: "Plan") -> None:
    """Fail with the difference between the plan on disk and the one that the suite gives."""
    for file, text in resolved.files().items():
        there = file.read_text(encoding="utf-8") if file.is_file() else ""
        if there != text:
            lines = there.splitlines(), text.splitlines()
            diff = difflib.unified_diff(*lines, str(file), resolved.command, lineterm="", n=1)
            raise UserError("\n".join([f"{file} is stale: {resolved.command}", *diff]))
    click.echo(f"{' and '.join(map(str, resolved.files()))} are up to date.")
