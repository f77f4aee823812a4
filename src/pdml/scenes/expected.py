"""What a model expects of a scene: the bands, wavelengths and unit of the one that it learnt from.

Another scene is brought to these bands, or refused with what differs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
from jaxtyping import Float

from pdml.errors import InvalidInputError
from pdml.scenes.band_choice import with_bands
from pdml.scenes.labels import listed
from pdml.scenes.scene import Scene

SHARE_OF_SPACING, MOST_NM = 0.25, 5.0
"""A band may lie off by this share of the distance to its neighbour, and by no more than this: a
calibration moves bands by less, another sensor has them elsewhere."""


@dataclass(frozen=True)
class Expected:
    """What a model expects of a scene.

    Attributes:
        bands: Numbers of the bands in the file that was learnt from, from 0.
        n_in_file: How many bands that file has.
        wavelengths_nm: Centres of the bands, where known.
        unit: Unit of the values, where the file names one.
        nodata: What marked missing pixels, as text; empty if nothing did.
    """

    bands: tuple[int, ...]
    n_in_file: int
    wavelengths_nm: tuple[float, ...] | None = None
    unit: str = ""
    nodata: str = ""

    @classmethod
    def of(cls, scene: Scene) -> Self:
        """What a model that learns from a scene will expect."""
        chosen, wavelengths = scene.chosen, scene.wavelengths_nm
        return cls(
            scene.band_numbers,
            chosen.n_in_file if chosen else scene.n_bands,
            None if wavelengths is None else tuple(float(nm) for nm in wavelengths),
            scene.unit,
            "" if scene.nodata is None else f"{scene.nodata:g}",
        )

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        """From what `to_dict` made."""
        wavelengths = stored["wavelengths_nm"]
        return cls(
            tuple(stored["bands"]),
            stored["n_in_file"],
            None if wavelengths is None else tuple(wavelengths),
            stored["unit"],
            stored["nodata"],
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)

    def found_in(self, scene: Scene) -> Scene:
        """The scene with the bands that the model was trained on.

        A file with as many bands as that of the training has them in the same places, unless its
        wavelengths say otherwise; one with as many as the model has been cut to them before; in
        any other they are looked up by their wavelengths.

        Raises:
            InvalidInputError: If they are not there.
        """
        candidates = list(self._candidates(scene))
        for bands in candidates:
            if not len(self._off(scene, bands)):
                return with_bands(scene, bands)
        raise InvalidInputError(self._what_differs(scene, candidates))

    def remarks(self, scene: Scene) -> list[str]:
        """What is odd about a scene with the right bands, one sentence each."""
        said = []
        if self.unit and scene.unit and self.unit.casefold() != scene.unit.casefold():
            said.append(
                f"The values of {scene.name} are in '{scene.unit}', those that the model was "
                f"trained on in '{self.unit}'; the map is right only if both mean the same."
            )
        if self.nodata and scene.nodata is None:
            said.append(
                f"The scene that the model was trained on marks missing pixels with {self.nodata}, "
                f"{scene.name} marks none: every pixel gets a class, or say --nodata VALUE."
            )
        if scene.good_bands is not None and not scene.good_bands.all():
            n_bad = int((~scene.good_bands).sum())
            said.append(
                f"{n_bad} of the {scene.n_bands} bands that the model uses are called bad by the "
                f"file of {scene.name}."
            )
        return said

    def _candidates(self, scene: Scene) -> Iterator[tuple[int, ...]]:
        if scene.n_bands == self.n_in_file:
            yield self.bands
        if scene.n_bands == len(self.bands):
            yield tuple(range(scene.n_bands))
        if self.wavelengths_nm and scene.wavelengths_nm is not None:
            nearest = nearest_bands(np.array(self.wavelengths_nm), scene.wavelengths_nm)
            if len(set(nearest)) == len(nearest):
                yield nearest

    def _off(self, scene: Scene, bands: tuple[int, ...]) -> list[int]:
        """Which of the bands have another wavelength."""
        if self.wavelengths_nm is None or scene.wavelengths_nm is None:
            return []
        wanted = np.array(self.wavelengths_nm)
        return bands_elsewhere(wanted, scene.wavelengths_nm[list(bands)])

    def _what_differs(self, scene: Scene, candidates: list[tuple[int, ...]]) -> str:
        needed = "the scene must have the bands that the model was trained on"
        if self.wavelengths_nm is None or scene.wavelengths_nm is None or not candidates:
            all_ = "" if self.n_in_file == len(self.bands) else f" out of {self.n_in_file}"
            return (
                f"{needed}: the model has {len(self.bands)}{all_}, the scene has {scene.n_bands}; "
                "select the same bands or train anew"
            )
        bands = min(candidates, key=lambda one: len(self._off(scene, one)))
        pairs = [
            (self.wavelengths_nm[place], float(scene.wavelengths_nm[bands[place]]))
            for place in self._off(scene, bands)
        ]
        told = [
            f"{ours:.5g} nm ({theirs:.5g} nm in the scene, {round(abs(ours - theirs), 2):g} nm off)"
            for ours, theirs in pairs
        ]
        return (
            f"{needed}: {len(pairs)} of its {len(self.bands)} lie elsewhere in '{scene.name}', "
            f"which has {scene.n_bands}: {listed(told)}; map a scene of the same sensor, or train "
            "anew"
        )


def bands_elsewhere(
    wanted: Float[np.ndarray, " band"], found: Float[np.ndarray, " band"]
) -> list[int]:
    """Places of the bands whose wavelengths are too far off.

    Args:
        wanted: Wavelengths of some bands, in the order of the file.
        found: Wavelengths of as many others.
    """
    steps = np.abs(np.diff(wanted))
    to_neighbour = np.minimum(np.append(steps, np.inf), np.insert(steps, 0, np.inf))
    allowed = np.minimum(SHARE_OF_SPACING * to_neighbour, MOST_NM)
    off: list[int] = np.flatnonzero(np.abs(wanted - found) > allowed).tolist()
    return off


def nearest_bands(
    wanted: Float[np.ndarray, " band"], there: Float[np.ndarray, " other"]
) -> tuple[int, ...]:
    """For each wavelength, the place of the nearest among others."""
    places = np.abs(there - wanted[:, None]).argmin(axis=1)
    return tuple(int(place) for place in places)
