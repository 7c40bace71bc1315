"""`protofair toy`: draw the embedded data by hand."""

from pathlib import Path

import click

from protofair.errors import UserError


@click.command()
@click.argument("dataset", required=False)
@click.option("--images", default=3600, show_default=True, help="How many pictures.")
@click.option(
    "--correlation", type=float, help="Between targets and sensitive attributes (phi). [default: by data set]"
)
@click.option("--seed", default=0, show_default=True)
@click.option("--out", type=click.Path(path_type=Path), help="Folder for the official files.")
def toy(dataset: str | None, images: int, correlation: float | None, seed: int, out: Path | None) -> None:
    """Draw DATASET (celeba, utkface or nih) in its official format."""
    from protofair.data.toy import draw

    if dataset is None or out is None:
        raise UserError("toy: say which data set and where: protofair toy celeba --out DIR")
    draw(dataset, out, images=images, seed=seed, correlation=correlation)
    click.echo(f"{images} drawings in the format of {dataset}: {out}")
