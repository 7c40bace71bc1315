"""`protofair acquire`: raw files, verified."""

from pathlib import Path

import click


@click.command()
@click.argument("key")
@click.option(
    "--plan", type=click.Path(path_type=Path), help="Plan with an entry acquire.KEY.  [default: params/plan.yaml]"
)
@click.option(
    "--sources",
    type=click.Path(path_type=Path),
    default=Path("params/sources.yaml"),
    show_default=True,
    help="Table of the official files and their mirrors.",
)
@click.option(
    "--from-dir",
    type=click.Path(path_type=Path),
    envvar="PROTOFAIR_DATA_DIR",
    show_envvar=True,
    help="A folder that has the files, or some of them, in any usual layout.",
)
@click.option("--out", type=click.Path(path_type=Path), default=Path("data"), show_default=True, help="Data folder.")
@click.option(
    "--accept-licence",
    is_flag=True,
    envvar="PROTOFAIR_ACCEPT_LICENCE",
    show_envvar=True,
    help="Accept the terms of the data set; otherwise they are asked about once.",
)
def acquire(key: str, plan: Path | None, sources: Path, from_dir: Path | None, out: Path, accept_licence: bool) -> None:
    """Fetch, take or draw the raw files of KEY, an entry of the plan or a data set (celeba, utkface, nih).

    Fills OUT/raw/KEY and writes OUT/acquired/KEY.json last. What is there and verified is never asked for again; an
    interrupted download continues where it was.
    """
    from protofair.data.acquire.config import choose
    from protofair.data.acquire.run import acquire as run
    from protofair.data.acquire.table import read_table

    table = read_table(sources)
    declaration = run(
        key,
        choose(key, plan=plan, table=table),
        table=table,
        data=out,
        from_dir=from_dir,
        accept_licence=accept_licence,
        say=lambda text: click.echo(text, err=True),
    )
    click.echo(str(declaration))
