"""A synthetic scene with the difficulties of a real one, from a seed.

Parcels of one material each lie side by side; materials mix linearly across borders; every
material varies within itself; light changes slowly over the scene; every band has its own noise;
and a part of the scene is unlabelled and holds materials of its own. A pixel is

    light(row, col) * sum_m share_m(row, col) * (spectrum_m + sway(row, col) * variation_m) + noise.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from jaxtyping import Float

from pdml.datasets.parcels import parcel_classes, smooth_field
from pdml.datasets.render import REALISTIC, Difficulty, render, smooth_curves
from pdml.errors import InvalidInputError
from pdml.scenes.labels import LabelMap
from pdml.scenes.scene import Scene

_N_BACKGROUND = 3
_COUNTS_PER_REFLECTANCE = 10_000.0  # as products of airborne sensors are scaled


def synthetic_scene(
    n_rows: int = 64,
    n_cols: int = 64,
    *,
    n_bands: int = 48,
    n_classes: int = 6,
    seed: int,
    labelled_share: float = 0.5,
    parcel_pixels: int = 12,
    difficulty: Difficulty = REALISTIC,
    label_map: LabelMap | None = None,
    spectra: Float[np.ndarray, "class_ band"] | None = None,
    dtype: Literal["float32", "uint16"] = "float32",
) -> tuple[Scene, LabelMap]:
    """Makes a scene and its labels.

    Args:
        n_rows: Rows; those of `label_map` where one is given.
        n_cols: Columns; those of `label_map` where one is given.
        n_bands: Bands; those of `spectra` where they are given.
        n_classes: Classes; those of `label_map` or `spectra` where one is given.
        seed: The same seed makes the same scene.
        labelled_share: Share of the pixels that is labelled, where no label map is given.
        parcel_pixels: Width of a parcel, about.
        difficulty: How hard it is to classify.
        label_map: True label geometry to fill with spectra.
        spectra: Mean spectra of the classes, in the unit that the scene shall have.
        dtype: Reflectance as `float32`, or 10 000 times reflectance as `uint16`.

    Returns:
        The scene, with `about["synthetic"]` set, and its label map.

    Raises:
        InvalidInputError: If sizes are not positive, or classes and spectra do not fit each other.
    """
    rng = np.random.default_rng(seed)
    if label_map is None:
        n_classes = n_classes if spectra is None else len(spectra)
        _require_sizes((n_rows, n_cols), n_classes, labelled_share, parcel_pixels)
        label_map = _labels((n_rows, n_cols), n_classes, labelled_share, parcel_pixels, rng)
    scale = _COUNTS_PER_REFLECTANCE if dtype == "uint16" else 1.0
    means = _mean_spectra(spectra, label_map.n_classes, n_bands, difficulty.contrast, scale, rng)
    background = label_map.n_classes + parcel_classes(
        label_map.shape, _N_BACKGROUND, parcel_pixels=parcel_pixels, rng=rng
    )
    materials = np.where(label_map.codes > 0, label_map.codes - 1, background)
    scene = Scene.from_array(
        render(materials, means, difficulty, dtype=dtype, rng=rng),
        name="synthetic",
        wavelengths_nm=np.linspace(400, 2500, means.shape[1]),
        about={"synthetic": True, "seed": seed},
    )
    return scene, label_map


def _require_sizes(
    shape: tuple[int, int], n_classes: int, labelled_share: float, parcel_pixels: int
) -> None:
    n_rows, n_cols = shape
    if min(n_rows, n_cols, n_classes, parcel_pixels) < 1 or n_classes > n_rows * n_cols:
        raise InvalidInputError(
            "a synthetic scene needs a row, a column, a class, a pixel per class and parcels of a "
            f"pixel or more; got {n_rows} x {n_cols} pixels, {n_classes} classes, parcels of "
            f"{parcel_pixels} pixels; enlarge what is too small"
        )
    if not 0 < labelled_share <= 1:
        raise InvalidInputError(
            f"labelled_share must be above 0 and at most 1, got {labelled_share}; "
            "0.5 labels every second pixel"
        )


def _labels(
    shape: tuple[int, int],
    n_classes: int,
    labelled_share: float,
    parcel_pixels: int,
    rng: np.random.Generator,
) -> LabelMap:
    """Labels the same share of every class, in blobs, so that no class is lost."""
    classes = parcel_classes(shape, n_classes, parcel_pixels=parcel_pixels, rng=rng)
    field = smooth_field(shape, parcel_pixels / 3, rng)
    codes = np.zeros(shape, dtype=np.int32)
    for class_ in range(n_classes):
        inside = np.flatnonzero(classes == class_)
        n_labelled = max(1, round(labelled_share * len(inside)))
        chosen = inside[np.argsort(field.flat[inside], kind="stable")[:n_labelled]]
        codes.flat[chosen] = class_ + 1
    return LabelMap.from_array(codes)


def _mean_spectra(
    spectra: Float[np.ndarray, "class_ band"] | None,
    n_classes: int,
    n_bands: int,
    contrast: float,
    scale: float,
    rng: np.random.Generator,
) -> Float[np.ndarray, "material band"]:
    """The spectra of all materials: those of the classes, then those of the background."""
    if spectra is None:
        if n_bands < 1:
            raise InvalidInputError(
                f"a synthetic scene needs at least one band, got {n_bands}; try n_bands=48"
            )
        base = scale * np.clip(0.3 + 0.1 * smooth_curves(1, n_bands, rng), 0.05, None)
        return _around(base, n_classes + _N_BACKGROUND, contrast, rng)
    if spectra.ndim != 2 or len(spectra) != n_classes:
        raise InvalidInputError(
            f"each class needs one mean spectrum: got spectra of shape {spectra.shape} for "
            f"{n_classes} classes; pass them as (class, band)"
        )
    base = spectra.mean(axis=0, keepdims=True)
    return np.concatenate([spectra, _around(base, _N_BACKGROUND, contrast, rng)])


def _around(
    base: Float[np.ndarray, "1 band"], n_spectra: int, contrast: float, rng: np.random.Generator
) -> Float[np.ndarray, "n band"]:
    """Spectra that differ from a common one by smooth factors, and stay positive."""
    factors = 1 + contrast * smooth_curves(n_spectra, base.shape[1], rng)
    return np.clip(base * factors, 0.02 * base.mean(), None)
