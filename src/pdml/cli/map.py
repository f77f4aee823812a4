"""`pdml map`: the model of a run and scenes become maps in files."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pdml.cli import map_options as of_map
from pdml.cli.options import Device, Run
from pdml.cli.run_options import Crs, Key, Nodata

if TYPE_CHECKING:
    from pdml.experiments.map_many import MapRequest
    from pdml.experiments.run_folder import RunFolder
    from pdml.experiments.subject import Subject


def map_command(
    run: Run,
    scenes: of_map.Scenes = None,
    *,
    out: of_map.Out,
    format_: of_map.Format = None,
    cog: of_map.Cog = False,
    scores: of_map.Scores = None,
    min_probability: of_map.MinProbability = 0.0,
    reject: of_map.Reject = False,
    false_alarm: of_map.FalseAlarm = None,
    overwrite: of_map.Overwrite = False,
    key: Key = None,
    nodata: Nodata = None,
    crs: Crs = None,
    memory: of_map.Memory = None,
    tile_pixels: of_map.TilePixels = None,
    device: Device = "auto",
    precision: of_map.Precision = "32",
) -> None:
    """Classify every pixel of a scene, and say how sure each is.

    A map that was interrupted is gone on with by the same command.

    Example: `pdml map runs/field other_field.tif -o other_field_map.tif`

    Unknown material: `pdml map runs/field other_field.tif -o map.tif --reject`

    Several scenes: `pdml map runs/field flight1.tif flight2.tif -o maps/`
    """
    from functools import partial

    from pdml.cli.console import say
    from pdml.cli.progress import show_progress
    from pdml.experiments.map_many import write_maps
    from pdml.experiments.map_options import MapOptions, false_alarm_of
    from pdml.experiments.reopen import existing_run, scene_for_map
    from pdml.inference.bundle import load_bundle
    from pdml.inference.memory import parse_memory

    options = MapOptions(
        memory_bytes=None if memory is None else parse_memory(memory),
        tile_pixels=tile_pixels,
        scores=tuple(scores or ()),
        min_probability=min_probability,
        false_alarm=false_alarm_of(reject=reject, rate=false_alarm),
        cog=cog,
        overwrite=overwrite,
        device=device,
        precision=precision,
    )
    folder = existing_run(run)
    bundle = load_bundle(folder.path)
    open_ = partial(scene_for_map, folder, key=key, nodata=nodata, crs=crs)
    requests = _requests(folder, scenes or [], out, format_, open_)
    with show_progress() as listener:
        write_maps(bundle, requests, options=options, listener=listener)
    for request in requests:
        say(f"Map: {request.out}")


def _requests(
    folder: RunFolder,
    scenes: list[str],
    out: str,
    wanted: str | None,
    open_: Callable[[str], Subject],
) -> list[MapRequest]:
    """What is mapped, and into which file."""
    from functools import partial
    from pathlib import Path

    from pdml.experiments.map_many import MapRequest
    from pdml.experiments.map_output import format_of, is_folder, maps_in_folder

    names = scenes or [str(folder.read_origin().get("scene", "scene"))]
    if is_folder(out, n_scenes=len(names)):
        files = maps_in_folder(Path(out), names, wanted)
    else:
        files = [Path(out)]
        format_of(files[0], wanted)
    return [
        MapRequest(name, partial(open_, name), file)
        for name, file in zip(names, files, strict=True)
    ]
