"""Options of `pdml map`."""

from __future__ import annotations

from typing import Annotated

import typer

_MEMORY = "Speed and memory"

Scenes = Annotated[
    list[str] | None,
    typer.Argument(
        help="Names of datasets or files; none for the run's own scene.", show_default=False
    ),
]
Out = Annotated[
    str,
    typer.Option(
        "--out",
        "-o",
        help="The map: .tif, .zarr, .npz or .png; or a folder for maps of several scenes.",
        show_default=False,
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format", help="tif, zarr, npz or png.", show_default="as -o ends, tif in a folder"
    ),
]
Cog = Annotated[bool, typer.Option("--cog", help="Write cloud-optimised GeoTIFF.")]
Scores = Annotated[
    list[str] | None,
    typer.Option(
        "--score",
        help="Write this measure of doubt too (see `pdml list doubts`); may be repeated.",
        show_default=False,
    ),
]
MinProbability = Annotated[
    float, typer.Option(help="Reject pixels whose class is less probable, from 0 to 1.")
]
Reject = Annotated[
    bool, typer.Option("--reject", help="Show pixels that are like no class as unknown.")
]
FalseAlarm = Annotated[
    float | None,
    typer.Option(
        help="With --reject: share of known pixels that may be shown as unknown.",
        show_default="0.05",
    ),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace a map that is there.")]
Memory = Annotated[
    str | None,
    typer.Option(
        help="What the process may take: 2GB, 800MB.",
        show_default="a quarter of the machine's",
        rich_help_panel=_MEMORY,
    ),
]
TilePixels = Annotated[
    int | None,
    typer.Option(
        help="Side of a tile.", show_default="follows from --memory", rich_help_panel=_MEMORY
    ),
]
Precision = Annotated[str, typer.Option(help="32, bf16 or auto.", rich_help_panel=_MEMORY)]
