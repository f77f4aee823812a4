"""Principal components of a scene's bands, for networks that are made for few of them."""

from __future__ import annotations

import dataclasses

import numpy as np
from jaxtyping import Int

from pdml.errors import InvalidInputError
from pdml.patches.normalise import Standardiser, fitted_spectra
from pdml.scenes.scene import Scene

_SMALLEST_RELATIVE_VARIANCE = 1e-12
"""A component that varies this little beside the first one is rounding."""


def require_components(n_components: int, n_bands: int) -> None:
    """Checks that there are as many components as are asked for.

    Raises:
        InvalidInputError: If a scene has fewer bands.
    """
    if n_components > n_bands:
        raise InvalidInputError(
            f"n_components must be at most the number of bands, got {n_components} for {n_bands} "
            "bands; try 3, or 0 to keep the bands"
        )


def with_components(
    standardiser: Standardiser,
    scene: Scene,
    *,
    n_components: int,
    indices: Int[np.ndarray, " n"] | None = None,
) -> Standardiser:
    """A standardiser that goes on to the first principal components, each of unit variance.

    The components are those of centred bands, so that a band with a large variance counts for
    more. They are fitted on the pixels that the standardiser was fitted on.

    Args:
        standardiser: What was fitted to the bands.
        scene: The scene; it is read once more, in strips of rows.
        n_components: Number of components.
        indices: Flat indices of the training pixels, if the standardiser was fitted on those.

    Raises:
        InvalidInputError: If the bands have fewer independent components.
    """
    require_components(n_components, scene.n_bands)
    n = 0
    products = np.zeros((scene.n_bands, scene.n_bands))
    for spectra in fitted_spectra(scene, standardiser.fit_on, indices):
        centred = spectra - standardiser.mean
        products += centred.T @ centred
        n += len(spectra)
    variances, directions = np.linalg.eigh(products / n)
    variances, directions = variances[::-1], directions[:, ::-1]
    n_independent = int((variances > _SMALLEST_RELATIVE_VARIANCE * variances[0]).sum())
    if n_components > n_independent:
        raise InvalidInputError(
            f"n_components must be at most the number of independent components, got "
            f"{n_components}, and {n} pixels have {n_independent}; "
            "ask for fewer, or set fit_on = 'scene'"
        )
    chosen = directions[:, :n_components]
    # An eigenvector's sign is arbitrary; its largest entry is made positive.
    largest = chosen[np.abs(chosen).argmax(axis=0), np.arange(n_components)]
    projection = chosen * np.sign(largest) / np.sqrt(variances[:n_components])
    return dataclasses.replace(standardiser, projection=standardiser.scale[:, None] * projection)
