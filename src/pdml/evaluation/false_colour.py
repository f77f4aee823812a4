"""A scene as a colour picture: three bands, each stretched between two percentiles."""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float, Shaped

from pdml.errors import InvalidInputError
from pdml.evaluation.colours import NOT_MEASURED, rgb
from pdml.scenes.row_blocks import row_blocks
from pdml.scenes.scene import Scene

RED_GREEN_BLUE_NM = (650.0, 550.0, 470.0)
BAND_FRACTIONS = (0.5, 0.25, 0.1)  # positions in the spectrum when no wavelength is known
STRETCH_PERCENT = (2.0, 98.0)
FARTHEST_NM = 60.0  # a band further than this from red, green or blue does not stand for it


def colour_bands(scene: Scene, customary: tuple[int, int, int] | None = None) -> tuple[int, ...]:
    """The bands shown as red, green and blue.

    The bands nearest to red, green and blue light where wavelengths are known and reach so far,
    else the dataset's customary ones, else bands at fixed fractions of the spectrum.

    Args:
        scene: The scene.
        customary: The dataset's own choice, from 0.

    Raises:
        InvalidInputError: If the scene lacks one of the customary bands.
    """
    n_bands = scene.n_bands
    if customary is not None and not all(0 <= band < n_bands for band in customary):
        raise InvalidInputError(
            f"bands to show must be from 0 to {n_bands - 1}, got {customary}; "
            "were bands removed from the scene?"
        )
    if scene.wavelengths_nm is not None:
        distance = np.abs(scene.wavelengths_nm[:, None] - np.array(RED_GREEN_BLUE_NM))
        if (distance.min(axis=0) <= FARTHEST_NM).all():
            return tuple(int(band) for band in distance.argmin(axis=0))
    if customary is not None:
        return customary
    return tuple(int(fraction * (n_bands - 1)) for fraction in BAND_FRACTIONS)


def false_colour(
    scene: Scene, customary: tuple[int, int, int] | None = None
) -> Float[np.ndarray, "row col rgb"]:
    """The scene in colours from 0 to 1, grey where nothing was measured.

    Args:
        scene: The scene; read in blocks of rows.
        customary: The dataset's own choice of bands for scenes without known wavelengths.
    """
    values, shown = _read_bands(scene, colour_bands(scene, customary))
    picture = np.empty_like(values)
    picture[...] = rgb([NOT_MEASURED])[0]
    for channel in range(3):
        band = values[..., channel][shown]
        if band.size:
            low, high = np.percentile(band, STRETCH_PERCENT)
            width = high - low if high > low else 1.0
            picture[..., channel][shown] = np.clip((band - low) / width, 0, 1)
    return picture


def _read_bands(
    scene: Scene, bands: tuple[int, ...]
) -> tuple[Float[np.ndarray, "row col rgb"], Bool[np.ndarray, "row col"]]:
    values = np.empty((scene.n_rows, scene.n_cols, 3), dtype=np.float32)
    measured = np.empty((scene.n_rows, scene.n_cols), dtype=bool)
    for window in row_blocks(scene):
        cube: Shaped[np.ndarray, "row col band"] = scene.read(window)
        values[window.slices] = cube[..., list(bands)]
        measured[window.slices] = scene.measured(cube)
    return values, measured & np.isfinite(values).all(axis=2)
