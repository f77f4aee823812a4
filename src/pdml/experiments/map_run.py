"""Mapping a scene with the model of a run, into a file."""

from __future__ import annotations

from pathlib import Path

from pdml.allocator import keep_freed_memory
from pdml.embeddings.model import require_bands
from pdml.errors import InvalidInputError, RunExistsError, unknown_name
from pdml.evaluation.maps import overview_picture
from pdml.evaluation.picture import save_picture
from pdml.experiments.listener import Listener
from pdml.experiments.subject import Subject
from pdml.inference.bundle import Bundle
from pdml.inference.class_map import ClassMap
from pdml.inference.mapper import map_scene
from pdml.inference.stored_map import save_class_map
from pdml.scenes.check import check_values
from pdml.training.fabric import make_fabric
from pdml.training.precision import resolve_precision

MAP_SUFFIXES = {
    ".npz": "classes, probabilities and uncertainty of every pixel",
    ".png": "a picture of the scene, its classes and their uncertainty",
}
PRECISIONS = ("32", "bf16", "auto")


def require_output(out: Path, *, overwrite: bool) -> None:
    """Checks that a map can be written under a name, before any work is done.

    Raises:
        InvalidInputError: If nothing is written under such a suffix.
        RunExistsError: If the file is there and must not be replaced.
    """
    if out.suffix.lower() not in MAP_SUFFIXES:
        listed = ", ".join(f"{suffix} ({what})" for suffix, what in MAP_SUFFIXES.items())
        raise InvalidInputError(
            f"a map is written as one of {listed}, got '{out.name}'; let the name end in one of "
            "these"
        )
    if out.exists() and not overwrite:
        raise RunExistsError(
            f"{out} is there already; choose another name, or say --overwrite to replace it"
        )


def write_map(
    bundle: Bundle,
    subject: Subject,
    out: Path,
    *,
    tile_pixels: int = 512,
    device: str = "auto",
    precision: str = "32",
    listener: Listener | None = None,
) -> ClassMap:
    """Maps a scene and writes the map as its name's suffix says.

    Args:
        bundle: The model.
        subject: The scene.
        out: A file that ends in one of `MAP_SUFFIXES`.
        tile_pixels: Side of a tile.
        device: Where the network runs.
        precision: `"32"`, `"bf16"`, or `"auto"` for the faster one.
        listener: Who is told of progress.

    Raises:
        PdmlError: If the scene does not fit the model or holds NaN; nothing is written then.
    """
    listener = listener or Listener()
    keep_freed_memory()
    scene = subject.scene
    require_bands(bundle.model, scene.n_bands)
    if precision not in PRECISIONS:
        raise unknown_name("precision", precision, PRECISIONS)
    place = make_fabric(device, "32").device
    listener.stage("check the scene")
    check_values(scene, allow_constant=True)
    listener.stage("map")
    class_map = map_scene(
        bundle,
        scene,
        tile_pixels=tile_pixels,
        device=place,
        precision=resolve_precision(precision, place),
        on_tile=listener.mapped,
    )
    listener.stage("write")
    if out.suffix.lower() == ".npz":
        save_class_map(out, class_map)
    else:
        save_picture(overview_picture(scene, class_map, customary_bands=subject.rgb_bands), out)
    return class_map
