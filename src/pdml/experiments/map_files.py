"""The files of a map in each format, from its layers."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from pdml.errors import InvalidInputError
from pdml.evaluation.draw import MOST_PIXELS
from pdml.evaluation.maps import overview_picture
from pdml.evaluation.picture import save_picture
from pdml.evaluation.thinned import thinned
from pdml.experiments.map_options import MapOptions
from pdml.experiments.map_output import SUFFIXES
from pdml.experiments.subject import Subject
from pdml.inference.categories import Categories
from pdml.inference.class_map import ClassMap
from pdml.inference.geotiff import write_geotiff
from pdml.inference.layers import CLASSES, PROBABILITY, Layers, windows
from pdml.inference.memory import in_words
from pdml.inference.plan import PROCESS_BYTES
from pdml.inference.stored_map import save_class_map
from pdml.inference.zarr_map import write_zarr
from pdml.optional import require

KEEP_PROBABILITY = ("npz", "png")
"""Formats that are made from the probabilities of all classes."""

PACKAGES = {"tif": ("rasterio", "geo"), "zarr": ("zarr", "scale")}
"""What writes a format, where that is optional, and the extra that brings it."""

COPIES = 6
"""Arrays of the size of the probabilities that exist while classes and entropy are computed."""

ROWS_AT_ONCE = 64
TOP_PROBABILITY = "top_probability"
VARIANCE = "embedding_variance"


def write_files(
    path: Path, layers: Layers, subject: Subject, categories: Categories, options: MapOptions
) -> None:
    """Writes a map, and beside it what belongs to it.

    Raises:
        StorageError: If a file cannot be written.
    """
    kind = SUFFIXES[path.suffix.lower()]
    scene = subject.scene
    about = {"scene": scene.name}
    if categories.rejects:
        about["min_probability"] = repr(options.min_probability)
    if kind == "tif":
        place = scene.georeference
        write_geotiff(path, layers, categories, georeference=place, about=about, cog=options.cog)
    elif kind == "zarr":
        write_zarr(path, layers, categories, georeference=scene.georeference, about=about)
    elif kind == "npz":
        save_class_map(path, _class_map(layers, categories, options))
    else:
        step = _step(layers.shape)
        class_map = _class_map(layers, categories, options, step=step)
        bands = subject.rgb_bands
        shown = scene
        if step > 1:
            shown, bands = thinned(scene, step, customary_bands=bands)
        save_picture(overview_picture(shown, class_map, customary_bands=bands), path)


def require_packages(kind: str) -> None:
    """Checks that what writes a format is installed, before any work is done.

    Raises:
        MissingExtraError: If not.
    """
    if kind in PACKAGES:
        module, extra = PACKAGES[kind]
        require(module, extra=extra)


def require_room(kind: str, shape: tuple[int, int], *, n_classes: int, memory_bytes: int) -> None:
    """Refuses a format that needs more memory than there is, before any work is done.

    Raises:
        InvalidInputError: If it does; what it needs and other formats are in the message.
    """
    if kind not in KEEP_PROBABILITY:
        return
    step = _step(shape) if kind == "png" else 1
    n_pixels = math.ceil(shape[0] / step) * math.ceil(shape[1] / step)
    needed = PROCESS_BYTES + COPIES * 4 * n_classes * n_pixels
    if needed > memory_bytes:
        raise InvalidInputError(
            f"a map as .{kind} is made from the probabilities of all {n_classes} classes of "
            f"{n_pixels} pixels at once, which takes {in_words(needed)} of the "
            f"{in_words(memory_bytes)} of --memory; write .tif or .zarr, or allow more memory"
        )


def _step(shape: tuple[int, int]) -> int:
    """Every how many pixels a picture shows one."""
    return math.ceil(max(shape) / MOST_PIXELS)


def _class_map(
    layers: Layers, categories: Categories, options: MapOptions, *, step: int = 1
) -> ClassMap:
    """The map in memory, or every n-th row and column of it."""
    n_rows, n_cols = (math.ceil(side / step) for side in layers.shape)
    chosen = np.empty((n_rows, n_cols), dtype=layers.dtype)
    rows_at_once = step * ROWS_AT_ONCE
    for window in windows(layers.shape, rows=rows_at_once, cols=layers.shape[1]):
        some = layers.read(window)[::step, ::step]
        first = window.row_start // step
        chosen[first : first + len(some)] = some
    measured = chosen[CLASSES] > 0
    variance = None
    if VARIANCE in (layers.dtype.names or ()):
        variance = np.where(measured, chosen[VARIANCE], np.float32(0))
    return ClassMap(
        np.ascontiguousarray(chosen[PROBABILITY]),
        variance,
        measured,
        tuple(categories.class_names),
        tuple(categories.colours),
        options.min_probability,
        has_probability=TOP_PROBABILITY in (layers.dtype.names or ()),
    )
