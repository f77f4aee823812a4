"""The options that say how a scene is split."""

from __future__ import annotations

from typing import Annotated

import typer

_PANEL = "Split"


def _number(text: str) -> float:
    """A whole number stays one: a number of pixels and a share of them mean different things."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    raise typer.BadParameter(f"'{text}' is neither a share nor a number of pixels")


Strategy = Annotated[
    str | None,
    typer.Option(
        "--split",
        help="random, per-class, polygons (kept whole), blocks (spatially apart) or published.",
        rich_help_panel=_PANEL,
        show_default="polygons if the labels were drawn, else blocks; random for a dataset by name",
    ),
]
TrainShare = Annotated[
    float | None,
    typer.Option("--train", help="Share of each class that trains.", rich_help_panel=_PANEL),
]
Validation = Annotated[
    float | None,
    typer.Option(
        help="Share that validates; with the random split also a number of pixels.",
        parser=_number,
        metavar="SHARE",
        rich_help_panel=_PANEL,
    ),
]
TrainPerClass = Annotated[
    int | None, typer.Option(help="Training pixels of each class.", rich_help_panel=_PANEL)
]
ValidationPerClass = Annotated[
    int | None, typer.Option(help="Validation pixels of each class.", rich_help_panel=_PANEL)
]
BlockPixels = Annotated[int | None, typer.Option(help="Side of a block.", rich_help_panel=_PANEL)]
GuardPixels = Annotated[
    int | None,
    typer.Option(help="Smallest distance between the parts.", rich_help_panel=_PANEL),
]
TrainLabels = Annotated[
    str | None, typer.Option(help="File with published training pixels.", rich_help_panel=_PANEL)
]
TestLabels = Annotated[
    str | None, typer.Option(help="File with published test pixels.", rich_help_panel=_PANEL)
]
TrainLabelsKey = Annotated[
    str | None, typer.Option(help="Name of the map in that file.", rich_help_panel=_PANEL)
]
TestLabelsKey = Annotated[
    str | None, typer.Option(help="Name of the map in that file.", rich_help_panel=_PANEL)
]
SplitFile = Annotated[
    str | None,
    typer.Option(help="A split that was stored, such as split.npz.", rich_help_panel=_PANEL),
]
