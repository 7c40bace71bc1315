"""`protofair split`: build alpha splits and show their cells."""

from pathlib import Path
from typing import Literal

import click


class Ratios(click.ParamType):
    """One number, or several with commas between them."""

    name = "RATIO[,RATIO...]"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, ...]:
        try:
            ratios = tuple(dict.fromkeys(float(part) for part in value.split(",")))
        except ValueError:
            self.fail(f"'{value}' is not a number, nor several with commas between them.", param, ctx)
        if len({f"{ratio:g}" for ratio in ratios}) < len(ratios):
            self.fail(f"'{value}': two of them are so near that their files would have one name.", param, ctx)
        return ratios


@click.command()
@click.argument("source", type=click.Path(path_type=Path))
@click.option("--alpha", "--alphas", "alphas", type=Ratios(), required=True, help="The ratio, or several: 2,3,4.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder for split.csv, cells.csv and cells.svg.")
@click.option("--target", default="gender", show_default=True, help="A label column, or one cut in two: 'age>=35'.")
@click.option("--sensitive", default="white", show_default=True, help="Likewise: white, race, gender, 'age>=35'.")
@click.option("--val-per-cell", default=500, show_default=True, help="Validation images in every cell.")
@click.option("--test-per-cell", default=500, show_default=True, help="Test images in every cell.")
@click.option(
    "--sizes",
    type=click.Choice(["largest", "equal"]),
    default="largest",
    show_default=True,
    help="The largest training set, or one equally large for all the ratios.",
)
@click.option("--seed", default=0, show_default=True, help="Another seed takes other images.")
def split(
    source: Path,
    alphas: tuple[float, ...],
    out: Path | None,
    target: str,
    sensitive: str,
    val_per_cell: int,
    test_per_cell: int,
    sizes: Literal["largest", "equal"],
    seed: int,
) -> None:
    """Build alpha splits of the images or labels in SOURCE.

    SOURCE is a folder, .tar or .zip with UTKFace's images, a .txt with one of its file names a line, or a .csv label
    table with an id column. Of byte-identical images one is kept, none where their target or sensitive values disagree;
    only images can be compared: names and tables are taken as they are.

    Several ratios give split-2.csv, split-3.csv, and so on, with the same validation and test sets.
    """
    from protofair.core.atomic import replacing, write_text
    from protofair.data.split.build import build_split
    from protofair.data.split.cells import cells_csv, cells_svg, cells_text
    from protofair.data.split.source import read_source

    labels = read_source(source, decisive=(target, sensitive))
    splits = {
        alpha: build_split(
            labels.table,
            alpha=alpha,
            target=target,
            sensitive=sensitive,
            val_per_cell=val_per_cell,
            test_per_cell=test_per_cell,
            sizes=sizes,
            equal_to=alphas,
            seed=seed,
        )
        for alpha in alphas
    }
    if out is not None:
        write_text(out / "cells.csv", cells_csv(list(splits.values())))
        for alpha, built in splits.items():
            table = labels.table[["id"]].assign(split=built.assigned)
            name = "split.csv" if len(splits) == 1 else f"split-{alpha:g}.csv"
            write_text(out / name, table.to_csv(index=False, lineterminator="\n"))
        with replacing(out / "cells.svg") as file:
            file.write(cells_svg(list(splits.values())))
    click.echo("\n\n".join([labels.summary(), *map(cells_text, splits.values())]))
