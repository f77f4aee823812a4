"""`pdml list`: what there is, by name."""

from __future__ import annotations

from typing import Annotated

import typer


def list_names(
    kind: Annotated[
        str,
        typer.Argument(
            help="backbones, attention, losses, methods, features, datasets, experiments, "
            "readers, recipes, splits.",
            show_default=False,
        ),
    ],
) -> None:
    """List what can be named in a recipe or a command.

    Example: `pdml list backbones`
    """
    from pdml.cli.console import show_table
    from pdml.experiments.catalogue import catalogue

    show_table(["name", "what it is"], list(catalogue(kind).items()))
