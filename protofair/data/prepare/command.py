"""`protofair prepare`: one packed set."""

from pathlib import Path
from typing import Any

import click


@click.command()
@click.argument("key")
@click.option(
    "--plan",
    type=click.Path(path_type=Path),
    default=Path("params/plan.yaml"),
    show_default=True,
    help="Plan with an entry prepare.KEY.",
)
@click.option("--data", type=click.Path(path_type=Path), default=Path("data"), show_default=True, help="Data folder.")
@click.option("--workers", type=click.IntRange(min=1), help="Processes that decode.  [default: one a core]")
@click.option("--dataset", type=click.Choice(["celeba", "utkface", "nih"]), help="By hand, without a plan: what it is.")
@click.option("--acquire", help="By hand: key of the raw files.  [default: the data set's name]")
@click.option("--size", type=int, help="By hand: pixels of a side.  [default: 128]")
@click.option("--crop", type=click.Choice(["none", "centre"]), help="By hand: resize the whole picture or its centre.")
@click.option("--alpha", type=float, help="By hand: the bias of UTKFace's training split.")
@click.option("--views", type=click.Choice(["all", "PA", "AP"]), help="By hand: NIH views to keep.")
@click.option("--max-problems", type=float, help="By hand: share of images that may have a problem.  [default: 0.001]")
def prepare(key: str, plan: Path, data: Path, workers: int | None, **options: Any) -> None:
    """Pack the raw files of a data set into DATA/packed/KEY.

    One uint8 array, labels and splits as a table, a manifest with hashes, and a data card (HTML and JSON). If it is
    interrupted, the next call continues.
    """
    import os
    import sys

    from protofair.core.errors import UserError
    from protofair.data.prepare.config import choose
    from protofair.data.prepare.run import prepare as run

    by_hand = {name: value for name, value in options.items() if value is not None}
    if by_hand:
        if "dataset" not in by_hand:
            raise UserError(f"prepare {key}: options by hand need a --dataset; without any, the plan's entry is used.")
        by_hand = {"acquire": by_hand["dataset"]} | by_hand
        if (alpha := by_hand.pop("alpha", None)) is not None:
            by_hand["split"] = {"alpha": alpha}
    out = run(
        key,
        choose(key, plan=plan, by_hand=by_hand),
        data=data,
        workers=workers or len(os.sched_getaffinity(0)),
        say=lambda text: click.echo(text, err=True),
        show_progress=sys.stderr.isatty(),
    )
    click.echo(f"{out}: its data card is {out / 'card.html'}")
