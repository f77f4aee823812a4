"""Where the classes of a synthetic scene lie: parcels with bent borders, like fields on a map."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int
from scipy.ndimage import gaussian_filter
from scipy.spatial import cKDTree


def parcel_classes(
    shape: tuple[int, int], n_classes: int, *, parcel_pixels: int, rng: np.random.Generator
) -> Int[np.ndarray, "row col"]:
    """Divides an image into parcels and gives each one of several classes.

    Every pixel belongs to the nearest of random centres; the pixels are first shifted by a smooth
    field, which bends the borders. Each class gets as many parcels as the others, give or take one,
    and keeps at least the pixel at one of its centres.

    Args:
        shape: Rows and columns.
        n_classes: Classes, 0 to n_classes - 1.
        parcel_pixels: Width of a parcel, about.
        rng: Source of randomness.

    Returns:
        The class of each pixel.
    """
    n_rows, n_cols = shape
    n_parcels = max(n_classes, round(n_rows * n_cols / parcel_pixels**2))
    n_parcels = min(n_parcels, n_rows * n_cols)
    centres = rng.choice(n_rows * n_cols, size=n_parcels, replace=False)
    class_of_parcel = rng.permutation(np.arange(n_parcels) % n_classes)
    positions = np.stack(np.unravel_index(np.arange(n_rows * n_cols), shape), axis=1)
    bend = np.stack([smooth_field(shape, parcel_pixels / 3, rng).ravel() for _ in range(2)], axis=1)
    shifted = positions + 0.2 * parcel_pixels * bend
    # Centres are shifted with their own pixels, so that each is the nearest to itself.
    _, parcel = cKDTree(shifted[centres]).query(shifted)
    classes: Int[np.ndarray, "row col"] = class_of_parcel[parcel].reshape(shape)
    return classes


def smooth_field(
    shape: tuple[int, int], smoothness_pixels: float, rng: np.random.Generator
) -> Float[np.ndarray, "row col"]:
    """A random field that changes slowly, with mean 0 and standard deviation 1.

    An image of a single pixel has nothing to change over and gets 0.
    """
    field = gaussian_filter(rng.standard_normal(shape), smoothness_pixels, mode="reflect")
    spread = float(field.std())
    centred: Float[np.ndarray, "row col"] = field - field.mean()
    return centred / spread if spread > 0 else centred
