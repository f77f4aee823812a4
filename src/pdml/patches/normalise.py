"""`Standardiser`: zero mean and unit variance per band, over the scene or the training pixels.

It may also bring the bands to their first principal components: see `pdml.patches.components`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float, Float64, Int, Shaped

from pdml.errors import InvalidInputError, unknown_name
from pdml.scenes.row_blocks import row_blocks
from pdml.scenes.scene import Scene

FitOn = Literal["scene", "train"]
FIT_ON: tuple[FitOn, ...] = ("scene", "train")

_SMALLEST_RELATIVE_SCALE = 1e-12
"""A spread this far below the mean is rounding: the band counts as constant."""


@dataclass(frozen=True)
class Standardiser:
    """What is subtracted from each band and what it is divided by.

    Attributes:
        mean: Mean of each band.
        scale: Standard deviation of each band (divided by n, not n - 1); 1 where the band was
            constant over the pixels that were fitted.
        fit_on: Which pixels were fitted: "scene" (all that were measured) or "train".
        projection: What standardised bands are multiplied with to become principal components;
            None leaves them bands.
    """

    mean: Float64[np.ndarray, " band"]
    scale: Float64[np.ndarray, " band"]
    fit_on: FitOn
    projection: Float64[np.ndarray, "band component"] | None = None

    @property
    def n_bands(self) -> int:
        """Bands of a scene that this fits."""
        return len(self.mean)

    @property
    def n_values(self) -> int:
        """Values of a pixel afterwards: its bands or its principal components."""
        return self.n_bands if self.projection is None else self.projection.shape[1]

    def apply(
        self, cube: Shaped[np.ndarray, "*pixel band"], *, double: bool = False
    ) -> Float[np.ndarray, "*pixel value"]:
        """Standardises values whose last axis is the band.

        Args:
            cube: The values.
            double: Leave the result in double precision instead of single.

        Raises:
            InvalidInputError: If the number of bands is not the one that was fitted.
        """
        if cube.shape[-1] != len(self.mean):
            raise InvalidInputError(
                f"scene and model must have the same bands: the scene has {cube.shape[-1]} bands, "
                f"the model was fitted on {len(self.mean)}; "
                "map a scene of the same sensor and band selection"
            )
        # Values that mark missing pixels may be too large for float32; callers overwrite them.
        with np.errstate(over="ignore", invalid="ignore"):
            values = (cube - self.mean) / self.scale
            if self.projection is not None:
                values = values @ self.projection
            standardised: Float[np.ndarray, "*pixel value"] = values.astype(
                np.float64 if double else np.float32
            )
        return standardised

    def to_dict(self) -> dict[str, object]:
        """The standardiser as plain lists and strings; JSON keeps every bit of it."""
        return {
            "mean": self.mean.tolist(),
            "scale": self.scale.tolist(),
            "fit_on": self.fit_on,
            **({} if self.projection is None else {"projection": self.projection.tolist()}),
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, object]) -> Standardiser:
        """The standardiser that `to_dict` described.

        Raises:
            InvalidInputError: If an entry is missing or the two lists do not belong together.
        """
        missing = sorted({"mean", "scale", "fit_on"} - set(stored))
        if missing:
            raise InvalidInputError(
                f"a stored standardiser must hold mean, scale and fit_on, this lacks "
                f"{', '.join(missing)}; was the file written by pdml?"
            )
        mean = np.asarray(stored["mean"], dtype=np.float64)
        scale = np.asarray(stored["scale"], dtype=np.float64)
        if mean.ndim != 1 or mean.shape != scale.shape or not (scale > 0).all():
            raise InvalidInputError(
                "a stored standardiser must hold one mean and one positive scale per band, got "
                f"shapes {mean.shape} and {scale.shape}; was the file changed by hand?"
            )
        projection = stored.get("projection")
        if projection is not None:
            projection = np.asarray(projection, dtype=np.float64)
            if projection.ndim != 2 or len(projection) != len(mean):
                raise InvalidInputError(
                    "a stored projection must hold one row per band, got shape "
                    f"{projection.shape} for {len(mean)} bands; was the file changed by hand?"
                )
        return cls(mean, scale, _known_fit_on(str(stored["fit_on"])), projection)


def fit_standardiser(
    scene: Scene,
    *,
    fit_on: str = "scene",
    indices: Int[np.ndarray, " n"] | None = None,
) -> Standardiser:
    """Measures mean and standard deviation of each band.

    The scene is read once, in strips of rows, and the sums are float64. Pixels without data are
    left out.

    Args:
        scene: The scene.
        fit_on: "scene" for all measured pixels, as the paper does; "train" for those given.
        indices: Flat indices of the training pixels; needed with "train", unused with "scene".

    Raises:
        InvalidInputError: If "train" comes without indices, if no pixel is left, or if a band
            holds NaN or infinite values.
        UnknownNameError: If `fit_on` is neither "scene" nor "train".
    """
    where = _known_fit_on(fit_on)
    n = 0
    mean = np.zeros(scene.n_bands)
    squares = np.zeros(scene.n_bands)
    for spectra in fitted_spectra(scene, where, indices):
        # Means and squared deviations of strips are merged instead of summing x and x², which
        # would lose the variance of bands with a large mean.
        strip_mean = spectra.mean(axis=0)
        strip_squares = ((spectra - strip_mean) ** 2).sum(axis=0)
        total = n + len(spectra)
        shift = strip_mean - mean
        mean = mean + shift * (len(spectra) / total)
        squares = squares + strip_squares + shift**2 * (n * len(spectra) / total)
        n = total
    if n == 0:
        raise InvalidInputError(
            f"fitting needs at least one measured pixel, got none with fit_on = '{where}'; "
            "check the nodata value of the scene"
        )
    deviation = np.sqrt(squares / n)
    constant = deviation <= _SMALLEST_RELATIVE_SCALE * np.abs(mean)
    return Standardiser(mean, np.where(constant, 1.0, deviation), where)


def fitted_spectra(
    scene: Scene, fit_on: FitOn, indices: Int[np.ndarray, " n"] | None
) -> Iterator[Float64[np.ndarray, "n band"]]:
    """The spectra that are fitted, strip by strip.

    Raises:
        InvalidInputError: If "train" comes without indices, or a value is not finite.
    """
    chosen = _chosen_pixels(scene, indices) if fit_on == "train" else None
    for window in row_blocks(scene):
        rows, _ = window.slices
        if chosen is not None and not chosen[rows].any():
            continue
        cube = scene.read(window)
        used = scene.measured(cube)
        if chosen is not None:
            used &= chosen[rows]
        spectra = cube[used].astype(np.float64)
        if len(spectra):
            _require_finite(spectra)
            yield spectra


def _known_fit_on(name: str) -> FitOn:
    for known in FIT_ON:
        if name == known:
            return known
    raise unknown_name("value of fit_on", name, FIT_ON)


def _chosen_pixels(
    scene: Scene, indices: Int[np.ndarray, " n"] | None
) -> Bool[np.ndarray, "row col"]:
    if indices is None:
        raise InvalidInputError(
            "fit_on = 'train' needs the training pixels, got none; pass indices=split.train.indices"
        )
    chosen = np.zeros(scene.n_rows * scene.n_cols, dtype=bool)
    chosen[indices] = True
    return chosen.reshape(scene.n_rows, scene.n_cols)


def _require_finite(spectra: Float[np.ndarray, "n band"]) -> None:
    odd = np.flatnonzero(~np.isfinite(spectra).all(axis=0))
    if odd.size:
        raise InvalidInputError(
            f"bands must be finite numbers, got NaN or infinity in {odd.size} bands "
            f"(the first is band {odd[0]}); drop them, or say which value marks missing pixels"
        )
