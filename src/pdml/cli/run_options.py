"""The options of a run, apart from those of its split."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

_FILES = "Scene files"

Scene = Annotated[
    str | None,
    typer.Argument(
        help="A dataset's name or a file; with --resume it may be left out.", show_default=False
    ),
]
RecipeName = Annotated[
    str | None, typer.Option(help="Name or TOML file of a recipe.", show_default="default")
]
Method = Annotated[
    str | None,
    typer.Option(
        help="Another method than PDML; without --recipe as its article trains it. "
        "`pdml list methods` shows them.",
        show_default="none",
    ),
]
Pdml = Annotated[
    bool, typer.Option("--pdml", help="Train the network of the method under the PDML head.")
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="A value over the recipe; repeatable."),
]
Epochs = Annotated[int | None, typer.Option(help="Short for --set epochs=N.")]
Seed = Annotated[int | None, typer.Option(help="Of everything random.", show_default="0")]
Out = Annotated[
    Path | None,
    typer.Option(help="Folder of the run.", show_default="runs/SCENE-METHOD-RECIPE-seedSEED"),
]
Tensorboard = Annotated[
    bool, typer.Option("--tensorboard", help="Also write curves for TensorBoard.")
]
Labels = Annotated[
    str | None,
    typer.Option(
        help="File with the labels of a scene: an array, a raster, polygons or points.",
        rich_help_panel=_FILES,
    ),
]
LabelsKey = Annotated[
    str | None,
    typer.Option(help="Name of the label map inside its file.", rich_help_panel=_FILES),
]
Key = Annotated[
    str | None, typer.Option(help="Name of the cube inside its file.", rich_help_panel=_FILES)
]
Nodata = Annotated[
    float | None,
    typer.Option(
        help="Value of pixels that were not measured; may be nan.", rich_help_panel=_FILES
    ),
]
ClassField = Annotated[
    str | None,
    typer.Option(
        help="Attribute of polygons or points that names the classes.",
        show_default="the only one that can",
        rich_help_panel=_FILES,
    ),
]
Layer = Annotated[
    str | None, typer.Option(help="Layer of the polygons or points.", rich_help_panel=_FILES)
]
Crs = Annotated[
    str | None,
    typer.Option(
        help="CRS of a scene whose file names none, such as EPSG:32633.", rich_help_panel=_FILES
    ),
]
