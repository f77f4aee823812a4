"""Cubes and images as zarr, with as much about them as a test needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import zarr
from jaxtyping import Shaped

CHUNK = 6


def write_zarr_cube(
    path: Path,
    cube: Shaped[np.ndarray, ...],
    *,
    name: str = "cube",
    dimensions: Sequence[str] | None = None,
    attributes: Mapping[str, Any] | None = None,
    beside: Mapping[str, tuple[Shaped[np.ndarray, " n"], Mapping[str, Any]]] | None = None,
    chunks: int = CHUNK,
    shards: int | None = None,
    zarr_format: int = 3,
) -> Path:
    """Writes an array in chunks of a group, and others beside it.

    Args:
        path: The folder.
        cube: The values.
        name: Name of the array.
        dimensions: Names of its axes.
        attributes: What is said of it.
        beside: Values and attributes of other arrays by their names.
        chunks: Side of a chunk; bands are in one.
        shards: Side of a shard of chunks.
        zarr_format: 2 or 3.
    """
    group = zarr.open_group(str(path), mode="w", zarr_format=zarr_format)  # type: ignore[arg-type]
    known: dict[str, Any] = {}
    attrs = dict(attributes or {})
    if dimensions and zarr_format == 3:
        known["dimension_names"] = list(dimensions)
    elif dimensions:
        attrs["_ARRAY_DIMENSIONS"] = list(dimensions)
    if shards:
        known["shards"] = tuple(shards if axis < 2 else n for axis, n in enumerate(cube.shape))
    array = group.create_array(
        name,
        shape=cube.shape,
        dtype=cube.dtype,
        chunks=tuple(chunks if axis < 2 else n for axis, n in enumerate(cube.shape)),
        **known,
    )
    array.attrs.update(attrs)
    array[...] = cube
    for other, (values, about) in (beside or {}).items():
        group.create_array(other, data=values).attrs.update(dict(about))
    return path
