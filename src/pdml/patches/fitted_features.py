"""`FittedFeatures`: a kind of features with all that was fitted, ready for any scene like it.

    fitted = fit_features(scene, "profiles", fit_on="train", indices=split.train.indices)
    features = fitted.apply(scene)          # a scene whose bands are the channels
    elsewhere = fitted.apply(other_scene)   # the same features of another one

What a pixel is among its connected regions hangs on the whole scene, so features are computed for
a scene at once and never for a tile of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float32, Float64, Int

from pdml.errors import InvalidInputError
from pdml.patches.components import with_components
from pdml.patches.feature_kind import FeatureKind, feature_kind
from pdml.patches.normalise import Standardiser, fit_standardiser, fitted_spectra
from pdml.scenes.row_blocks import row_blocks
from pdml.scenes.scene import Scene

_WORKING_BYTES = 320
"""Per pixel: a tree of regions, what is measured of each of them, and a filtered image."""

_STORED = ("name", "options", "components", "low", "span")


@dataclass(frozen=True)
class FittedFeatures:
    """Features of scenes with the same bands.

    Attributes:
        name: Name of the kind.
        kind: The kind with its options.
        components: What bands become principal components with.
        low: Least value of each component in the pixels that were fitted.
        span: Largest value less the least.
    """

    name: str
    kind: FeatureKind
    components: Standardiser
    low: Float64[np.ndarray, " component"]
    span: Float64[np.ndarray, " component"]

    @property
    def n_bands(self) -> int:
        """Bands of a scene that this fits."""
        return self.components.n_bands

    @property
    def n_channels(self) -> int:
        """Channels of the features."""
        return self.kind.n_channels(self.n_bands)

    @property
    def pixel_bytes(self) -> int:
        """Most memory per pixel of a scene while its features are computed, with the features."""
        own = 4 * self.n_channels
        return own + 8 * self.kind.n_components + 16 * self.kind.per_component + _WORKING_BYTES

    def require_fit(self, scene: Scene) -> None:
        """Checks that the features of a scene can be computed.

        Raises:
            InvalidInputError: If the scene has other bands than those that were fitted.
            MissingExtraError: If what computes the features is not installed.
        """
        self.kind.require_packages()
        if scene.n_bands != self.n_bands:
            raise InvalidInputError(
                f"the scene must have the bands that the features were fitted on: those were "
                f"{self.n_bands}, the scene has {scene.n_bands}; select the same bands or train "
                "anew"
            )

    def apply(self, scene: Scene) -> Scene:
        """The features of a whole scene, as a scene whose bands are the channels.

        Pixels that were not measured are NaN, and count as the mean spectrum for those around.

        Raises:
            InvalidInputError: If the scene has other bands than those that were fitted.
            MissingExtraError: If what computes the features is not installed.
        """
        self.require_fit(scene)
        cube = np.empty((*scene.shape[:2], self.n_channels), dtype=np.float32)
        components, measured = self._components(scene, cube)
        first = self.n_channels - self.kind.n_components * self.kind.per_component
        for component in components:
            last = first + self.kind.per_component
            cube[..., first:last] = self.kind.channels(component).transpose(1, 2, 0)
            first = last
        cube[~measured] = np.nan
        return Scene.from_array(
            cube,
            name=scene.name,
            nodata=None if scene.nodata is None else float("nan"),
            georeference=scene.georeference,
            about=scene.about,
        )

    def _components(
        self, scene: Scene, cube: Float32[np.ndarray, "row col channel"]
    ) -> tuple[Float64[np.ndarray, "component row col"], Bool[np.ndarray, "row col"]]:
        """Components on the scale of the fitted pixels; puts bands into the cube on the way."""
        components = np.empty((len(self.low), *scene.shape[:2]))
        measured = np.ones(scene.shape[:2], dtype=bool)
        for window in row_blocks(scene):
            rows, _ = window.slices
            strip = scene.read(window)
            measured[rows] = scene.measured(strip)
            found = self.components.apply(strip)
            found[~measured[rows]] = 0
            components[:, rows] = ((found - self.low) / self.span).transpose(2, 0, 1)
            if self.kind.keeps_bands:
                # What marks a missing pixel may be too large for float32; it becomes NaN.
                with np.errstate(over="ignore"):
                    cube[rows, :, : scene.n_bands] = strip
        return components, measured

    def to_dict(self) -> dict[str, Any]:
        """The features as plain lists, numbers and strings; JSON keeps every bit of them."""
        return {
            "name": self.name,
            "options": self.kind.to_dict(),
            "components": self.components.to_dict(),
            "low": self.low.tolist(),
            "span": self.span.tolist(),
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> FittedFeatures:
        """The features that `to_dict` described.

        Raises:
            InvalidInputError: If an entry is missing, or entries do not belong together.
            UnknownNameError: If there is no such kind of features, or it has no such option.
        """
        missing = [name for name in _STORED if name not in stored]
        if missing:
            raise InvalidInputError(
                f"stored features must hold {', '.join(_STORED)}, these lack "
                f"{', '.join(missing)}; was the file written by pdml?"
            )
        kind = feature_kind(stored["name"], stored["options"])
        components = Standardiser.from_dict(stored["components"])
        low, span = (np.asarray(stored[name], dtype=np.float64) for name in ("low", "span"))
        shapes = {low.shape, span.shape, (kind.n_components,)}
        if len(shapes) > 1 or components.n_values != kind.n_components or not (span > 0).all():
            raise InvalidInputError(
                f"stored features must hold one low and one positive span for each of "
                f"{kind.n_components} components, got shapes {low.shape} and {span.shape} for "
                f"{components.n_values}; was the file changed by hand?"
            )
        return cls(stored["name"], kind, components, low, span)


def fit_features(
    scene: Scene,
    name: str,
    options: Mapping[str, Any] | None = None,
    *,
    fit_on: str = "scene",
    indices: Int[np.ndarray, " n"] | None = None,
) -> FittedFeatures:
    """Fits what features need to know: principal components and the range of each.

    Args:
        scene: The scene; it is read three times, in strips of rows.
        name: A registered kind: `pdml list features`.
        options: Its options; what is not named keeps its default.
        fit_on: "scene" for all measured pixels; "train" for those given.
        indices: Flat indices of the training pixels; needed with "train", unused with "scene".

    Raises:
        UnknownNameError: If there is no such kind of features, or it has no such option.
        InvalidInputError: If an option cannot be, or there are too few bands or pixels.
    """
    kind = feature_kind(name, options or {})
    kind.n_channels(scene.n_bands)
    components = with_components(
        fit_standardiser(scene, fit_on=fit_on, indices=indices),
        scene,
        n_components=kind.n_components,
        indices=indices,
    )
    low, high = np.full(kind.n_components, np.inf), np.full(kind.n_components, -np.inf)
    for spectra in fitted_spectra(scene, components.fit_on, indices):
        found = components.apply(spectra)
        low, high = np.minimum(low, found.min(axis=0)), np.maximum(high, found.max(axis=0))
    return FittedFeatures(name, kind, components, low, high - low)
