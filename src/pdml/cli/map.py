"""`pdml map`: the model of a run and scenes become maps in files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pdml.cli.options import Device, Run
from pdml.cli.run_options import Key, Nodata

if TYPE_CHECKING:
    from pdml.experiments.map_many import MapRequest
    from pdml.experiments.run_folder import RunFolder

_MEMORY = "Speed and memory"


def map_command(
    run: Run,
    scenes: Annotated[
        list[str] | None,
        typer.Argument(
            help="Names of datasets or files; none for the run's own scene.", show_default=False
        ),
    ] = None,
    *,
    out: Annotated[
        str,
        typer.Option(
            "--out",
            "-o",
            help="The map: .tif, .zarr, .npz or .png; or a folder for maps of several scenes.",
            show_default=False,
        ),
    ],
    format_: Annotated[
        str | None,
        typer.Option(
            "--format", help="tif, zarr, npz or png.", show_default="as -o ends, tif in a folder"
        ),
    ] = None,
    cog: Annotated[bool, typer.Option("--cog", help="Write cloud-optimised GeoTIFF.")] = False,
    min_probability: Annotated[
        float, typer.Option(help="Reject pixels whose class is less probable, from 0 to 1.")
    ] = 0.0,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace a map that is there.")
    ] = False,
    key: Key = None,
    nodata: Nodata = None,
    memory: Annotated[
        str | None,
        typer.Option(
            help="What the process may take: 2GB, 800MB.",
            show_default="a quarter of the machine's",
            rich_help_panel=_MEMORY,
        ),
    ] = None,
    tile_pixels: Annotated[
        int | None,
        typer.Option(
            help="Side of a tile.", show_default="follows from --memory", rich_help_panel=_MEMORY
        ),
    ] = None,
    device: Device = "auto",
    precision: Annotated[
        str, typer.Option(help="32, bf16 or auto.", rich_help_panel=_MEMORY)
    ] = "32",
) -> None:
    """Classify every pixel of a scene, and say how sure each is.

    A map that was interrupted is gone on with by the same command.

    Example: `pdml map runs/field other_field.tif -o other_field_map.tif`

    Several scenes: `pdml map runs/field flight1.tif flight2.tif -o maps/`
    """
    from pdml.cli.console import say
    from pdml.cli.progress import show_progress
    from pdml.experiments.map_many import write_maps
    from pdml.experiments.map_options import MapOptions
    from pdml.experiments.reopen import existing_run
    from pdml.inference.bundle import load_bundle
    from pdml.inference.memory import parse_memory

    options = MapOptions(
        memory_bytes=None if memory is None else parse_memory(memory),
        tile_pixels=tile_pixels,
        min_probability=min_probability,
        cog=cog,
        overwrite=overwrite,
        device=device,
        precision=precision,
    )
    folder = existing_run(run)
    bundle = load_bundle(folder.path)
    requests = _requests(folder, scenes or [], out, format_, key=key, nodata=nodata)
    with show_progress() as listener:
        write_maps(bundle, requests, options=options, listener=listener)
    for request in requests:
        say(f"Map: {request.out}")


def _requests(
    folder: RunFolder,
    scenes: list[str],
    out: str,
    wanted: str | None,
    *,
    key: str | None,
    nodata: float | None,
) -> list[MapRequest]:
    """What is mapped, and into which file."""
    from functools import partial
    from pathlib import Path

    from pdml.experiments.map_many import MapRequest
    from pdml.experiments.map_output import format_of, is_folder, maps_in_folder
    from pdml.experiments.reopen import reopen_subject
    from pdml.experiments.subject import open_subject

    names = scenes or [str(folder.read_origin().get("scene", "scene"))]
    if is_folder(out, n_scenes=len(names)):
        files = maps_in_folder(Path(out), names, wanted)
    else:
        files = [Path(out)]
        format_of(files[0], wanted)
    if not scenes:
        return [
            MapRequest(names[0], partial(reopen_subject, folder, key=key, nodata=nodata), *files)
        ]
    return [
        MapRequest(name, partial(open_subject, name, key=key, nodata=nodata), file)
        for name, file in zip(names, files, strict=True)
    ]
