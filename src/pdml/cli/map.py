"""`pdml map`: the model of a run and a scene become a map in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pdml.cli.options import Device, Run
from pdml.cli.run_options import Key, Nodata


def map_command(
    run: Run,
    scene: Annotated[
        str | None,
        typer.Argument(help="A dataset's name or a file.", show_default="the run's own scene"),
    ] = None,
    *,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The map: .npz or .png.", show_default=False)
    ],
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace a map that is there.")
    ] = False,
    key: Key = None,
    nodata: Nodata = None,
    tile_pixels: Annotated[int, typer.Option(help="Side of a tile; less takes less memory.")] = 512,
    device: Device = "auto",
    precision: Annotated[str, typer.Option(help="32, bf16 or auto.")] = "32",
) -> None:
    """Classify every pixel of a scene, and say how sure each is.

    Example: `pdml map runs/field other_field.mat -o other_field.npz`
    """
    from pdml.cli.console import say
    from pdml.cli.progress import show_progress
    from pdml.experiments.map_run import require_output, write_map
    from pdml.experiments.reopen import existing_run, reopen_subject
    from pdml.experiments.subject import open_subject
    from pdml.inference.bundle import load_bundle

    require_output(out, overwrite=overwrite)
    folder = existing_run(run)
    bundle = load_bundle(folder.path)
    if scene is None:
        subject = reopen_subject(folder, key=key, nodata=nodata)
    else:
        subject = open_subject(scene, key=key, nodata=nodata)
    with show_progress() as listener:
        write_map(
            bundle,
            subject,
            out,
            tile_pixels=tile_pixels,
            device=device,
            precision=precision,
            listener=listener,
        )
    say(f"Map: {out}")
