"""`pdml info`: what a scene is, from its header and a glance at its pixels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pdml.cli.run_options import Bands, Crs, DropBands, Key, Nodata

if TYPE_CHECKING:
    import numpy as np
    from jaxtyping import Float

    from pdml.scenes.glance import Glance
    from pdml.scenes.scene import Scene
    from pdml.scenes.summary import BandStatistics

SHOWN_BANDS = 12


def info(
    scene: Annotated[str, typer.Argument(help="A dataset's name or a file.", show_default=False)],
    *,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print everything as JSON, and nothing else.")
    ] = False,
    picture: Annotated[
        Path | None, typer.Option(help="Also write the picture to a .png file.")
    ] = None,
    all_bands: Annotated[
        bool, typer.Option("--all-bands", help="Show every band, not just some.")
    ] = False,
    key: Key = None,
    nodata: Nodata = None,
    crs: Crs = None,
    bands: Bands = None,
    drop_bands: DropBands = None,
) -> None:
    """Say what a scene is: size, bands, place, missing pixels, values, and how it looks.

    Of a large scene only some windows are read, for two seconds at most.

    Example: `pdml info scene.tif`

    Example: `pdml info scene.hdr --json`
    """
    from pdml.evaluation.false_colour import colour_bands
    from pdml.experiments.subject import open_subject
    from pdml.scenes.glance import glance
    from pdml.scenes.summary import band_statistics

    subject = open_subject(
        scene, key=key, nodata=nodata, crs=crs, bands=bands, drop_bands=drop_bands
    )
    opened = subject.scene
    seen = glance(opened, colour_bands(opened, subject.rgb_bands))
    statistics = band_statistics(opened, seen)
    colours = _in_colours(seen)
    if picture is not None:
        from pdml.evaluation.picture import save_image

        save_image(colours, picture)
    if as_json:
        _print_json(opened, seen, statistics)
    else:
        _show(opened, seen, statistics, colours, all_bands=all_bands)


def _in_colours(seen: Glance) -> Float[np.ndarray, "row col rgb"]:
    """The picture, stretched, with grey where there is nothing."""
    from pdml.evaluation.false_colour import false_colour
    from pdml.scenes.scene import Scene

    return false_colour(Scene.from_array(seen.picture, nodata=float("nan")), (0, 1, 2))


def _print_json(scene: Scene, seen: Glance, statistics: list[BandStatistics]) -> None:
    from dataclasses import asdict

    from pdml.scenes.summary import missing_share, scene_facts

    everything: dict[str, Any] = {
        **scene_facts(scene),
        "pixels_read": seen.n_pixels,
        "all_pixels_read": seen.is_all,
        "nodata_share": missing_share(seen),
        "statistics": [asdict(one) for one in statistics],
    }
    typer.echo(json.dumps(everything, indent=1, allow_nan=False))


def _show(
    scene: Scene,
    seen: Glance,
    statistics: list[BandStatistics],
    colours: Float[np.ndarray, "row col rgb"],
    *,
    all_bands: bool,
) -> None:
    from pdml.cli.console import make_console, say, show_table
    from pdml.cli.scene_text import band_rows, facts_in_words
    from pdml.cli.thumbnail import half_blocks, shows_colours

    for heading, text in facts_in_words(scene, seen).items():
        say(f"{heading}: {text}")
    say()
    step = 1 if all_bands else -(-len(statistics) // SHOWN_BANDS)
    headings, rows = band_rows(statistics[::step])
    show_table(headings, rows, numbers=headings[:-1])
    if step > 1:
        say(f"{len(rows)} of {len(statistics)} bands; all of them with --all-bands or --json")
    console = make_console()
    if shows_colours(console):
        say()
        console.print(half_blocks(colours, width=console.width))
