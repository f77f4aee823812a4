"""Light that changes from patch to patch and pixel to pixel, as a factor of what was measured.

A slope that faces the sun, or a thin haze, multiplies a spectrum. On standardised values that is
not a product: what a dark pixel has must be known.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from pdml.patches.normalise import Standardiser


def darkness(standardiser: Standardiser) -> Float[Tensor, " band"]:
    """The standardised spectrum of a pixel whose measured values are all 0."""
    dark = -standardiser.mean / standardiser.scale
    if standardiser.projection is not None:
        dark = dark @ standardiser.projection
    return torch.from_numpy(dark).float()


def relight(
    patches: Float[Tensor, "n row col band"],
    dark: Float[Tensor, " band"],
    generator: torch.Generator,
    *,
    illumination: float = 0.0,
    shading: float = 0.0,
    tilt: float = 0.0,
) -> Float[Tensor, "n row col band"]:
    """Multiplies what was measured by factors about 1.

    Args:
        patches: Standardised patches.
        dark: What `darkness` says of their standardiser.
        generator: Where the factors come from; on the CPU, so that runs on any device agree.
        illumination: Standard deviation of the factor of a patch.
        shading: Standard deviation of the factor of a pixel.
        tilt: Standard deviation of a part of the factor that goes from its negative in the first
            band to itself in the last one, the same for all pixels of a patch.
    """
    n, n_rows, n_cols, n_bands = patches.shape
    changes: list[Tensor] = []
    if illumination > 0:
        changes.append(illumination * torch.randn(n, 1, 1, 1, generator=generator))
    if shading > 0:
        changes.append(shading * torch.randn(n, n_rows, n_cols, 1, generator=generator))
    if tilt > 0:
        slope = torch.linspace(-1, 1, n_bands)
        changes.append(tilt * torch.randn(n, 1, 1, 1, generator=generator) * slope)
    for change in changes:
        patches = patches + change.to(patches) * (patches - dark.to(patches))
    return patches
