"""`protofair probe`, `protofair select` and `protofair tsne`: what a trained encoder has learned."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

PLAN = click.option(
    "--plan",
    type=click.Path(path_type=Path),
    default=Path("params/plan.yaml"),
    show_default=True,
    help="The plan that has the entry KEY.",
)


@click.command()
@click.argument("key")
@PLAN
def probe(key: str, plan: Path) -> None:
    """Train linear probes on the frozen encoder of entry probe.KEY of the plan, and measure them.

    \b
    Reads   results/SUITE/STAGE/KEY/checkpoints/epoch-NNN.pt, data/packed/VARIANT
    Writes  results/SUITE/probe/KEY/metrics.json      accuracy, EO and the rest, each with its 95 % interval
            results/SUITE/probe/KEY/summary.json      the main ones on the test images, for `dvc metrics`
            results/SUITE/probe/KEY/predictions.npz   what they are computed from
            results/SUITE/probe/KEY/run.json          configuration, versions, hardware, wall time
    """
    from protofair.core.entries import Plan
    from protofair.probe.run import run_probe

    active = Plan.read(plan)
    with _plain_warnings():
        metrics = run_probe(active, key)
    for task in metrics["tasks"]:
        click.echo(_summary(task))
    click.echo(active.folder("probe", key) / "metrics.json")


@click.command()
@click.argument("key")
@PLAN
def select(key: str, plan: Path) -> None:
    """Choose the weight that does best on the validation images, as entry select.KEY of the plan says.

    \b
    Reads   results/SUITE/probe/CANDIDATE/metrics.json and the checkpoints they are of
    Writes  results/SUITE/select/KEY/checkpoints/epoch-NNN.pt   the chosen one
            results/SUITE/select/KEY/choice.json                the score of each: balanced accuracy minus EO
    """
    from protofair.core.entries import Plan
    from protofair.probe.select import run_select

    active = Plan.read(plan)
    choice = run_select(active, key)
    scores = ", ".join(f"{found['weight']:g}: {found['score']:.2f}" for found in choice["candidates"])
    click.echo(f"weight {choice['weight']:g} ({scores})")
    click.echo(active.folder("select", key) / "choice.json")


@click.command()
@click.argument("key")
@PLAN
def tsne(key: str, plan: Path) -> None:
    """Draw a test set's features in the plane by t-SNE, as entry tsne.KEY of the plan says.

    \b
    Reads   results/SUITE/STAGE/KEY/checkpoints/epoch-NNN.pt, data/packed/VARIANT
    Writes  results/SUITE/tsne/KEY/points.csv   x, y, target, sensitive
            results/SUITE/tsne/KEY/tsne.json    how far the sensitive groups mix, in the plane and in the features
            results/SUITE/tsne/KEY/run.json     configuration, versions, hardware, wall time
    """
    from protofair.core.entries import Plan
    from protofair.probe.tsne import run_tsne

    active = Plan.read(plan)
    found = run_tsne(active, key)
    for space, mixing in found["mixing"].items():
        click.echo(f"mixing of the groups in the {space}: {_text(mixing)} (1 is as by chance)")
    click.echo(active.folder("tsne", key) / "points.csv")


@contextmanager
def _plain_warnings() -> Iterator[None]:
    """Warnings as sentences, without the line of code they come from."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = lambda message, *_args, **_kwargs: click.echo(f"protofair: warning: {message}", err=True)
        yield


def _summary(task: dict[str, Any]) -> str:
    """A task on the test set in one line, and in another what the method's own classifier does."""
    test = task["test"]
    shown = {
        "accuracy": test["accuracy"],
        "EO": test["equalized_odds"],
        "balanced accuracy": test["balanced_accuracy"],
        "sensitive probe": test["sensitive"]["accuracy"],
    }
    flags = {"predicts_one_class": "predicts one class", "at_majority_rate": "not above the majority rate"}
    warned = "".join(f"  ({text})" for flag, text in flags.items() if test[flag])
    line = f"{task['target']}/{task['sensitive']}: {', '.join(f'{n} {_text(v)}' for n, v in shown.items())}{warned}"
    if "own" not in test:
        return line
    own = {"accuracy": test["own"]["accuracy"], "EO": test["own"]["equalized_odds"]}
    return f"{line}\n  its own classifier: {', '.join(f'{name} {_text(value)}' for name, value in own.items())}"


def _text(estimate: dict[str, float]) -> str:
    return f"{estimate['value']:.2f} [{estimate['low']:.2f}, {estimate['high']:.2f}]"
