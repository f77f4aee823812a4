"""From materials on a map to the values a sensor would have measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int, Shaped
from numpy.typing import DTypeLike
from scipy.ndimage import gaussian_filter, gaussian_filter1d

from pdml.datasets.parcels import smooth_field

_ROWS_PER_BLOCK = 64  # bounds the memory of the noise


@dataclass(frozen=True)
class Difficulty:
    """How hard a synthetic scene is to classify; each part is relative to the mean of the spectra.

    Attributes:
        contrast: How far the spectra of different materials lie apart.
        noise: Standard deviation of the noise of an average band.
        variability: How far the spectra of one material lie apart.
        illumination: How strongly the light changes over the scene.
        mixing_pixels: Standard deviation of the blur by which neighbours mix; 0 for sharp borders.
    """

    contrast: float = 0.2
    noise: float = 0.06
    variability: float = 0.1
    illumination: float = 0.1
    mixing_pixels: float = 0.7


REALISTIC = Difficulty()
EASY = Difficulty(contrast=0.4, noise=0.01, variability=0.01, illumination=0.02, mixing_pixels=0.4)


def smooth_curves(
    n_curves: int, n_bands: int, rng: np.random.Generator
) -> Float[np.ndarray, "n band"]:
    """Smooth random curves over the bands, around 0 and with a spread of about 1."""
    width = max(1.0, n_bands / 12)
    padding = int(4 * width)  # so that the ends are no smoother than the middle
    noise = rng.standard_normal((n_curves, n_bands + 2 * padding))
    curves = gaussian_filter1d(noise, width, axis=1)[:, padding : padding + n_bands]
    # A Gaussian of this width averages the noise down to a variance of 1 / (2 width sqrt(pi)).
    scaled: Float[np.ndarray, "n band"] = curves * np.sqrt(2 * width * np.sqrt(np.pi))
    return scaled


def render(
    materials: Int[np.ndarray, "row col"],
    spectra: Float[np.ndarray, "material band"],
    difficulty: Difficulty,
    *,
    dtype: DTypeLike,
    rng: np.random.Generator,
) -> Shaped[np.ndarray, "row col band"]:
    """Measures a map of materials; the formula is in `pdml.datasets.synthetic`.

    Args:
        materials: The material of each pixel, a row of `spectra`.
        spectra: The mean spectrum of each material.
        difficulty: How hard the result is to classify.
        dtype: Type of the result; whole numbers are rounded and kept within 16 bits.
        rng: Source of randomness.

    Returns:
        The cube.
    """
    shape = materials.shape
    n_materials, n_bands = spectra.shape
    level = float(spectra.mean())
    light = 1 + difficulty.illumination * smooth_field(shape, max(shape) / 6, rng)
    sway = (smooth_field(shape, 2, rng) + rng.standard_normal(shape)) / np.sqrt(2)
    variation = difficulty.variability * level * smooth_curves(n_materials, n_bands, rng)
    noise = difficulty.noise * level * rng.uniform(0.5, 1.5, size=(n_bands,))
    share = _shares(materials, n_materials, difficulty.mixing_pixels)
    # A pixel is share @ spectra + sway * (share @ variation): one product over both stacks.
    both = np.concatenate([spectra, variation]).astype(np.float32)
    cube = np.empty((*shape, n_bands), dtype=dtype)
    for start in range(0, shape[0], _ROWS_PER_BLOCK):
        rows = slice(start, start + _ROWS_PER_BLOCK)
        mixed = np.concatenate([share[rows], share[rows] * sway[rows, :, None]], axis=2)
        block = (light[rows, :, None] * mixed).astype(np.float32) @ both
        block += noise.astype(np.float32) * rng.standard_normal(block.shape, dtype=np.float32)
        cube[rows] = block if cube.dtype.kind == "f" else np.clip(np.rint(block), 0, 65535)
    return cube


def _shares(
    materials: Int[np.ndarray, "row col"], n_materials: int, mixing_pixels: float
) -> Float[np.ndarray, "row col material"]:
    """How much of each material a pixel sees: its own, and a little of its neighbours'."""
    own = ((materials == m).astype(np.float32) for m in range(n_materials))
    return np.stack([gaussian_filter(image, mixing_pixels) for image in own], axis=2)
