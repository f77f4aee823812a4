"""A scene of some bands of another, in the order of that one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Shaped

from pdml.errors import InvalidInputError
from pdml.scenes.band_list import bands_in
from pdml.scenes.scene import ChosenBands, CubeSource, Scene
from pdml.scenes.window import Window


@dataclass(frozen=True)
class SomeBandsSource:
    """Some bands of another source."""

    whole: CubeSource
    numbers: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, int, int]:
        """Rows, columns, chosen bands."""
        return (*self.whole.shape[:2], len(self.numbers))

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the stored values."""
        return self.whole.dtype

    def read(self, window: Window) -> Shaped[np.ndarray, "row col band"]:
        """The values inside a window."""
        return np.ascontiguousarray(self.whole.read(window).take(self.numbers, axis=2))


def chosen_bands(scene: Scene, *, bands: str | None = None, drop: str | None = None) -> Scene:
    """The scene with the bands that are named, without those that are dropped.

    Args:
        scene: A scene.
        bands: The bands to take, as `bands_in` reads them; all when None.
        drop: The bands to leave out; none when None.

    Raises:
        InvalidInputError: If a text is not understood, names a band that is not there, or no band
            is left.
    """
    if bands is None and drop is None:
        return scene
    taken = range(scene.n_bands) if bands is None else bands_in(bands, scene, option="--bands")
    left_out = () if drop is None else bands_in(drop, scene, option="--drop-bands")
    left = sorted(set(taken) - set(left_out))
    if not left:
        raise InvalidInputError(
            f"at least one band must be left, but all {len(taken)} bands of '{scene.name}' that "
            "are taken are dropped again; drop fewer"
        )
    return with_bands(scene, left)


def with_bands(scene: Scene, numbers: Sequence[int]) -> Scene:
    """The scene of some of its bands, with what is known of them.

    Args:
        scene: A scene.
        numbers: Which bands, from 0.
    """
    kept = tuple(int(number) for number in numbers)
    if kept == tuple(range(scene.n_bands)):
        return scene
    n_in_file = scene.chosen.n_in_file if scene.chosen else scene.n_bands
    wavelengths, good = scene.wavelengths_nm, scene.good_bands
    return replace(
        scene,
        source=SomeBandsSource(scene.source, kept),
        wavelengths_nm=None if wavelengths is None else wavelengths[list(kept)],
        good_bands=None if good is None else good[list(kept)],
        chosen=ChosenBands(tuple(scene.band_numbers[number] for number in kept), n_in_file),
    )


def nearest_left(
    customary: tuple[int, int, int] | None, chosen: ChosenBands | None
) -> tuple[int, int, int] | None:
    """Bands of a file that make its customary picture, as places among the bands that are left."""
    if customary is None or chosen is None:
        return customary
    distance = np.abs(np.array(chosen.numbers)[:, None] - np.array(customary))
    red, green, blue = (int(place) for place in distance.argmin(axis=0))
    return red, green, blue
