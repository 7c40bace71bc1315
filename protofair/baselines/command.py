"""`protofair baseline`: train a method that is more than a loss."""

from pathlib import Path
from typing import Any

import click

from protofair.train.command import prepared, training_options


@click.command()
@training_options
def baseline(key: str, plan: Path, **how: Any) -> None:
    """Train a method from beginning to end, as entry baseline.KEY of the plan says.

    \b
    Reads   data/packed/VARIANT, of a teacher results/SUITE/warmup/TEACHER/checkpoints/epoch-NNN.pt
    Writes  results/SUITE/baseline/KEY/checkpoints/epoch-NNN.pt   the last epoch: all networks, all optimisers
            results/SUITE/baseline/KEY/log.jsonl                  losses, rate and speed of every epoch
            results/SUITE/baseline/KEY/run.json                   configuration, versions, hardware, hashes of inputs

    Goes on after an interruption, and exits, as `protofair warmup` does.
    """
    from protofair.baselines.stage import run_baseline

    click.echo(run_baseline(*prepared(plan, key, how)))
