"""Gabor filters of principal components: how much of a wave of each length and direction there is.

Chen et al. (2017) put them in front of a 2-D network: 4 directions on 3 components. The article's
wavelengths differ from scene to scene; those here are a choice of ours.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Complex128, Float64
from scipy.ndimage import convolve1d

from pdml.patches.feature_kind import FEATURES, FeatureKind, require_count, require_numbers

STD_OF_WAVELENGTH = 3 * math.sqrt(math.log(2) / 2) / math.pi
"""Standard deviation of the window per wavelength, for a bandwidth of one octave."""

REACH = 3
"""The window ends after so many standard deviations."""


@FEATURES.register
@dataclass(frozen=True)
class Gabor(FeatureKind):
    """Each component, then the magnitude of its Gabor filters.

    Attributes:
        n_components: Principal components.
        n_orientations: Directions, evenly over half a turn: 4 are 0, 45, 90 and 135 degrees.
        wavelengths: Lengths of the waves in pixels.
    """

    n_components: int = 3
    n_orientations: int = 4
    wavelengths: Sequence[float] = (8, 16)

    def require_options(self) -> None:
        """Checks directions and wavelengths."""
        require_count("n_orientations", self.n_orientations)
        require_numbers("wavelengths", self.wavelengths)

    @property
    def per_component(self) -> int:
        """The component and one channel per direction and wavelength."""
        return 1 + self.n_orientations * len(self.wavelengths)

    def channels(
        self, component: Float64[np.ndarray, "row col"]
    ) -> Float64[np.ndarray, "channel row col"]:
        """The component, and its magnitudes wavelength by wavelength."""
        angles = [math.pi * step / self.n_orientations for step in range(self.n_orientations)]
        found = [
            gabor_magnitude(component, wavelength=wavelength, angle=angle)
            for wavelength in self.wavelengths
            for angle in angles
        ]
        return np.stack([component, *found])


def gabor_magnitude(
    image: Float64[np.ndarray, "row col"], *, wavelength: float, angle: float
) -> Float64[np.ndarray, "row col"]:
    """Magnitude of a complex Gabor filter with a round window.

    The filter is a Gaussian of unit sum times exp(2 pi i (col cos(angle) + row sin(angle)) /
    wavelength) (Daugman, 1985). With a round window it is a product of a filter along rows and one
    along columns, which takes far less work. The image is mirrored at its border.

    Args:
        image: The image.
        wavelength: Length of the wave in pixels.
        angle: Direction in which the wave goes, in radians; 0 is along a row.
    """
    along_cols = _wave(wavelength, math.cos(angle))
    along_rows = _wave(wavelength, math.sin(angle))
    filtered = convolve1d(image.astype(np.complex128), along_cols, axis=1, mode="reflect")
    filtered = convolve1d(filtered, along_rows, axis=0, mode="reflect")
    magnitude: Float64[np.ndarray, "row col"] = np.hypot(filtered.real, filtered.imag)
    return magnitude


def _wave(wavelength: float, share: float) -> Complex128[np.ndarray, " position"]:
    """One factor of the filter: the window times the part of the wave along one axis."""
    std = STD_OF_WAVELENGTH * wavelength
    half = math.ceil(REACH * std)
    position: Float64[np.ndarray, " position"] = np.arange(-half, half + 1, dtype=np.float64)
    window = np.exp(-0.5 * (position / std) ** 2)
    factor: Complex128[np.ndarray, " position"] = (
        window / window.sum() * np.exp(2j * np.pi * share * position / wavelength)
    )
    return factor
