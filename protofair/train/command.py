"""`protofair warmup` and `protofair fair`: train an encoder."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click


def training_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """What every command that trains takes."""
    for option in reversed([
        click.argument("key"),
        click.option(
            "--plan",
            type=click.Path(path_type=Path),
            default=Path("params/plan.yaml"),
            show_default=True,
            help="The plan that has the entry KEY.",
        ),
        click.option("--on-cpu", is_flag=True, help="Train without a GPU even if it takes more than twelve hours."),
        click.option(
            "--save-epochs",
            type=click.IntRange(min=1),
            default=1,
            show_default=True,
            help="Save the state every so many epochs ...",
        ),
        click.option(
            "--save-minutes",
            type=click.FloatRange(min=0),
            default=10.0,
            show_default=True,
            help="... and every so many minutes.",
        ),
        click.option("--fast", is_flag=True, help="Allow kernels whose results differ in the last bits between runs."),
    ]):  # fmt: skip
        command = option(command)
    return command


@click.command()
@training_options
def warmup(key: str, plan: Path, **how: Any) -> None:
    """Train an encoder with its base objective alone, as entry warmup.KEY of the plan says.

    \b
    Reads   data/packed/VARIANT
    Writes  results/SUITE/warmup/KEY/checkpoints/epoch-NNN.pt   the epochs listed under `keep`
            results/SUITE/warmup/KEY/log.jsonl                  losses, rate and speed of every epoch
            results/SUITE/warmup/KEY/run.json                   configuration, versions, hardware, hashes of inputs

    Killed or interrupted, the same command goes on where it was and ends with the same bits; its state lies in
    .cache/checkpoints until then. Exit codes: 0 done, 1 the loss is no longer finite, 2 the input was refused,
    143 stopped by SIGTERM after saving.
    """
    from protofair.train.phases import run_warmup

    click.echo(run_warmup(*prepared(plan, key, how)))


@click.command()
@training_options
def fair(key: str, plan: Path, **how: Any) -> None:
    """Continue a warm-up with base objective + weight x L_CF, as entry fair.KEY of the plan says.

    The prototypes start from K-means over the whole training set, and again every `reinit_every` epochs. An entry of
    weight 0 is the equal-training control: the same steps without the term.

    \b
    Reads   data/packed/VARIANT, results/SUITE/warmup/WARMUP/checkpoints/epoch-NNN.pt
    Writes  results/SUITE/fair/KEY/checkpoints/epoch-NNN.pt   the last epoch, counted from the start of the warm-up
            results/SUITE/fair/KEY/log.jsonl                  also pairs found, clusters, their purity
            results/SUITE/fair/KEY/run.json                   configuration, versions, hardware, hashes of inputs

    Goes on after an interruption, and exits, as `protofair warmup` does.
    """
    from protofair.train.phases import run_fair

    click.echo(run_fair(*prepared(plan, key, how)))


def prepared(plan: Path, key: str, how: dict[str, Any]) -> tuple[Any, str, Any]:
    """The plan, the key and the options that a stage takes."""
    from protofair.core.entries import Plan
    from protofair.train.stage import Options

    fast = how.pop("fast")
    return Plan.read(plan), key, Options(**how, deterministic=not fast)
