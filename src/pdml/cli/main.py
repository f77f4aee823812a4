"""The command `pdml`: one subcommand per file."""

from __future__ import annotations

import logging
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from pdml.cli.bench import bench
from pdml.cli.datasets import app as datasets
from pdml.cli.demo import demo
from pdml.cli.evaluate import evaluate
from pdml.cli.guard import guarded
from pdml.cli.info import info
from pdml.cli.list import list_names
from pdml.cli.map import map_command
from pdml.cli.report import report
from pdml.cli.reproduce import reproduce
from pdml.cli.train import train
from pdml.cli.waiting import current_load, wait_politely

app = typer.Typer(
    name="pdml",
    help="Classify hyperspectral scenes, and say how sure every pixel is.",
    epilog="Start with: `pdml demo`",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    add_completion=False,
)
app.command()(guarded(demo))
app.command()(guarded(info))
app.command()(guarded(train))
app.command("map")(guarded(map_command, goes_on=True))
app.command()(guarded(evaluate))
app.command()(guarded(report))
app.command()(guarded(reproduce))
app.command("list")(guarded(list_names))
app.command()(guarded(bench))
app.add_typer(datasets, name="datasets")


def main() -> None:
    """Runs the command line."""
    wait_politely(os.environ, load=current_load(), n_cores=os.cpu_count() or 1)
    with _without_noise():
        app()


@contextmanager
def _without_noise() -> Iterator[None]:
    """Keeps what libraries warn of and remark from users; `python -W default` brings it back."""
    if sys.warnoptions:
        yield
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logging.disable(logging.WARNING)
        try:
            yield
        finally:
            logging.disable(logging.NOTSET)
