"""The command `pdml`: one subcommand per file, errors in one line, exit 2."""

from __future__ import annotations

import sys

import typer

from pdml.cli.train import train
from pdml.errors import PdmlError

app = typer.Typer(
    name="pdml",
    help="Classify hyperspectral scenes, and say how sure every pixel is.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    add_completion=False,
)
app.command()(train)


@app.callback()
def _all_commands() -> None:
    """Keeps subcommands when there is only one."""


def main() -> None:
    """Runs the command line."""
    try:
        app()
    except PdmlError as error:
        sys.stderr.write(f"pdml: {error}\n")
        sys.exit(2)
