"""`protofair report`: every table, figure and claim beside what came out."""

import gc
import sys
from pathlib import Path

import click


@click.command()
@click.option(
    "--plan", "plan_path", type=click.Path(path_type=Path), default=Path("params/plan.yaml"), show_default=True
)
@click.option("--root", type=click.Path(path_type=Path), default=Path(), help="Where params/, data/ and results/ are.")
@click.option(
    "--show-images",
    is_flag=True,
    help="Show pairs of real photographs and X-rays too. Without it only drawings are shown: mind who appears in them,"
    " and what the data's licence allows.",
)
@click.option(
    "--compare",
    "other",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="FOLDER",
    help="Show the numbers of another run's report beside ours, with where ours are expected given its seeds.",
)
def report(plan_path: Path, root: Path, show_images: bool, other: Path | None) -> None:
    """Write results/SUITE/report.html from whatever has finished.

    What has not run is shown as pending, with the command that runs it. The file needs no network; beside it, in
    results/SUITE/report/, stand all tables as CSV, JSON, LaTeX and Markdown and all figures as SVG and PDF with their
    data. The exit code is 1 if a result's file is broken: its cell says so, the rest is rendered.
    """
    # The collector takes a sixth of the time, to free 50 MB of a process that ends in seconds.
    gc.disable()
    click.get_current_context().call_on_close(gc.enable)

    from dataclasses import replace

    from protofair.core.atomic import write_text
    from protofair.core.errors import UserError
    from protofair.plan.plan import Plan
    from protofair.report.build import build
    from protofair.report.compare import as_csv, as_text, compare
    from protofair.report.pairs import find_pairs
    from protofair.report.render import render

    plan = Plan.read(root / plan_path)
    if missing := sorted({"title", "scale", "seeds", "tables", "tsne", "ablation"} - plan.report.keys()):
        which = "It says which probe fills which cell; `protofair plan SUITE` writes it"
        raise UserError(f"{root / plan_path}: report: '{missing[0]}' is missing. {which}.")
    model = build(plan, root)
    pairs, damaged = find_pairs(plan, root, show_images=show_images)
    model = replace(model, problems=(*model.problems, *damaged))
    click.echo(render(model, plan, pairs, root / "results" / plan.suite))
    if other:
        comparisons = compare(model.tables, other)
        # Beside what DVC tracks of the report, not in it.
        write_text(root / "results" / plan.suite / "compare.csv", as_csv(comparisons))
        click.echo(as_text(comparisons))
    for problem in model.problems:
        click.echo(f"protofair: {problem}", err=True)
    if model.problems:
        sys.exit(1)
