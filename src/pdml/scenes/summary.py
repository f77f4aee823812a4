"""What there is to say about a scene: its header, and statistics of what a glance saw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from pdml.scenes.crs import crs_name, extent_text, pixel_size_text
from pdml.scenes.glance import Glance
from pdml.scenes.scene import Scene

PERCENTS = (2, 98)


@dataclass(frozen=True)
class BandStatistics:
    """Values of one band among the measured pixels that were seen; None if there is no number.

    Attributes:
        band: Its number in the file, from 0.
        wavelength_nm: Its centre, where known.
        is_bad: Whether the file calls it unusable.
        lowest: Smallest value.
        percent_2: 2 % of the values are below.
        mean: Mean.
        percent_98: 98 % of the values are below.
        highest: Largest value.
        std: Standard deviation.
        broken_share: Share of NaN and infinite values.
    """

    band: int
    wavelength_nm: float | None
    is_bad: bool
    lowest: float | None
    percent_2: float | None
    mean: float | None
    percent_98: float | None
    highest: float | None
    std: float | None
    broken_share: float


def band_statistics(scene: Scene, seen: Glance) -> list[BandStatistics]:
    """Statistics of each band."""
    return [
        BandStatistics(
            number,
            None if scene.wavelengths_nm is None else float(scene.wavelengths_nm[band]),
            scene.good_bands is not None and not bool(scene.good_bands[band]),
            *_statistics(seen.spectra[:, band]),
        )
        for band, number in enumerate(scene.band_numbers)
    ]


def _statistics(values: Float[np.ndarray, " n"]) -> tuple[Any, ...]:
    finite = values[np.isfinite(values)].astype(np.float64)
    if not len(finite):
        return (*[None] * 6, 1.0 if len(values) else 0.0)
    low, high = np.percentile(finite, PERCENTS)
    found = (finite.min(), low, finite.mean(), high, finite.max(), finite.std())
    return (*(float(one) for one in found), 1 - len(finite) / len(values))


def bad_bands(scene: Scene) -> list[int]:
    """Numbers in the file of the bands that it calls unusable, from 0."""
    if scene.good_bands is None:
        return []
    return [scene.band_numbers[place] for place in np.flatnonzero(~scene.good_bands)]


def missing_share(seen: Glance) -> float:
    """Share of the pixels that were seen and not measured."""
    return 1 - seen.n_measured / seen.n_pixels


def scene_facts(scene: Scene) -> dict[str, Any]:
    """What the header says, in plain values for JSON."""
    place = scene.georeference
    of_place: dict[str, Any] = {"crs": None, "crs_wkt": None, "transform": None, "bounds": None}
    if place is not None:
        of_place = {
            "crs": crs_name(place.crs) if place.crs else None,
            "crs_wkt": place.crs or None,
            "transform": list(place.transform),
            "bounds": list(place.bounds(scene.shape[:2])),
        }
    nodata = scene.nodata
    return {
        "name": scene.name,
        "rows": scene.n_rows,
        "cols": scene.n_cols,
        "bands": scene.n_bands,
        "bands_left_out": scene.chosen.left_out if scene.chosen else [],
        "unit": scene.unit or None,
        "dtype": scene.source.dtype.name,
        "bytes": n_bytes(scene),
        "wavelengths_nm": None if scene.wavelengths_nm is None else scene.wavelengths_nm.tolist(),
        "bad_bands": None if scene.good_bands is None else bad_bands(scene),
        "nodata": nodata if nodata is None or np.isfinite(nodata) else str(nodata),
        **of_place,
        "about": dict(scene.about),
    }


def n_bytes(scene: Scene) -> int:
    """What the cube takes in memory."""
    return scene.n_rows * scene.n_cols * scene.n_bands * scene.source.dtype.itemsize


def place_in_words(scene: Scene) -> dict[str, str]:
    """Where the scene is: CRS, size of a pixel, extent."""
    place = scene.georeference
    if place is None:
        return {"CRS": "none, and nothing says where the pixels are"}
    return {
        "CRS": crs_name(place.crs) if place.crs else "none; name it with --crs",
        "pixel": pixel_size_text(place),
        "extent": extent_text(place.bounds(scene.shape[:2])),
    }
