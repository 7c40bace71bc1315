"""The command line: one command per stage, each beside the code it runs.

A stage's command is imported only when it is called, so that `protofair --help` does not wait for torch, and a stage
never imports the code of another.
"""

import importlib
import sys
from typing import Any

import click

from protofair.core.errors import UserError

# name: (module with the command, one line for the overview)
COMMANDS = {
    "doctor": ("protofair.doctor.command", "Check the machine: what is there, what is missing, what to do."),
    "plan": ("protofair.plan.command", "Choose what runs: resolve a suite into params/plan.yaml."),
    "toy": ("protofair.data.toy.command", "Draw the embedded data, or a contact sheet of it."),
    "acquire": (
        "protofair.data.acquire.command",
        "Fetch a data set's raw files, or take them from a folder; verify them.",
    ),
    "prepare": (
        "protofair.data.prepare.command",
        "Pack a data set into one array with labels, splits and a data card.",
    ),
    "split": ("protofair.data.split.command", "Build an alpha split of UTKFace and show its cells."),
    "warmup": ("protofair.train.command", "Train an encoder with its base objective alone."),
    "fair": ("protofair.train.command", "Continue a warm-up with the base objective plus the ProtoFair term."),
    "baseline": ("protofair.baselines.command", "Train a method that is more than a loss: LNL, FD-VAE, MFD."),
    "probe": ("protofair.probe.command", "Train linear probes on a frozen encoder and measure them."),
    "select": ("protofair.probe.command", "Choose a weight on the validation images."),
    "tsne": ("protofair.probe.command", "Draw a test set's features in the plane."),
    "report": ("protofair.report.command", "Write the report: tables, figures and claims beside what came out."),
}


class Stages(click.Group):
    """Looks commands up in `COMMANDS` and imports only the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = importlib.import_module(COMMANDS[name][0])
        command: click.Command = getattr(module, name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(cls=Stages, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.version_option(package_name="protofair")
def protofair() -> None:
    """Rerun, check and use ProtoFair: fair contrastive learning via pseudo-counterfactual pairs.

    Each stage of the pipeline is a command; `protofair COMMAND --help` says what it reads and writes.
    """


def main(arguments: list[str] | None = None) -> Any:
    """Entry point: a `UserError`, or a file out of reach, becomes its message on stderr and exit code 2."""
    try:
        protofair.main(args=arguments, prog_name="protofair")
    except UserError as error:
        click.echo(f"protofair: {error}", err=True)
        sys.exit(error.exit_code)
    except OSError as error:
        if error.filename is None:  # not about a file
            raise
        click.echo(f"protofair: {error.filename}: {error.strerror}. Check the path and its permissions.", err=True)
        sys.exit(2)
