"""`protofair toy`: draw the embedded data, or a sheet of it to look at."""

from pathlib import Path

import click

from protofair.core.errors import UserError


@click.command()
@click.argument("dataset", required=False)
@click.option("--images", default=2400, show_default=True, help="How many pictures.")
@click.option("--correlation", type=float, help="Of targets with sensitive attributes. [default: the data set's own]")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Another seed, other pictures.")
@click.option("--out", type=click.Path(path_type=Path), help="The folder for the official files.")
@click.option("--sheet", type=click.Path(path_type=Path), help="Write a PNG with examples of every data set instead.")
def toy(
    dataset: str | None, images: int, correlation: float | None, seed: int, out: Path | None, sheet: Path | None
) -> None:
    """Draw DATASET (celeba, utkface or nih) as its official files: faces and chests of nobody, with the paper's biases.

    \b
    protofair toy celeba --images 3600 --out DIR
    protofair toy --sheet sheet.png
    """
    from protofair.data.toy import CORRELATION, checked, draw, drawer

    if sheet is not None:
        from protofair.data.toy.sheet import COLUMNS, ROWS, write_sheet

        names = [dataset] if dataset else [*CORRELATION]
        write_sheet(
            sheet,
            {
                name: drawer(name).examples(COLUMNS * ROWS, correlation=checked(name, correlation), seed=seed)
                for name in names
            },
        )
        click.echo(f"examples: {sheet}")
    elif dataset is None or out is None:
        raise UserError(
            "toy: say what to draw and where: protofair toy celeba --out DIR, or protofair toy --sheet FILE."
        )
    else:
        draw(dataset, out, images=images, seed=seed, correlation=correlation)
        click.echo(f"{images} drawings in the format of {dataset}: {out}")
