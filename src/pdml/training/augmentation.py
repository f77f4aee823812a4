"""What a recipe does to the patches of a batch before the network sees them, in a fixed order."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from pdml.patches.augment import draw_symmetries, spectral_noise, turned
from pdml.patches.band_masking import drop_bands, mask_stretch
from pdml.patches.border_mixing import mix_at_borders
from pdml.patches.illumination import relight
from pdml.patches.mixup import mixup
from pdml.patches.neighbour_masking import drop_neighbours
from pdml.patches.same_class_mixing import mix_within_classes
from pdml.patches.smooth_noise import smooth_noise
from pdml.training.batch import Batch
from pdml.training.recipe import Recipe


def augmented(
    batch: Batch, recipe: Recipe, order: torch.Generator, *, dark: Tensor, n_classes: int
) -> Batch:
    """A batch with all that the recipe adds; what is off draws no random number.

    Pixels are moved first, then mixed, then changed as a sensor would, and last taken away.

    Args:
        batch: The patches as they are in the scene.
        recipe: What is added.
        order: Where all random numbers come from.
        dark: The standardised spectrum of a pixel without light.
        n_classes: Number of classes.
    """
    if recipe.flips:
        batch = _turned(batch, order)
    patches, targets, pixel_classes = batch.patches, batch.targets, batch.pixel_classes
    if recipe.border_mixing > 0:
        assert pixel_classes is not None  # the recipe asked for them by mixing at borders
        patches, pixel_classes = mix_at_borders(patches, pixel_classes, recipe.border_mixing, order)
    patches = mix_within_classes(patches, batch.classes, recipe.same_class_mixing, order)
    if recipe.mixup > 0:
        patches, targets = mixup(patches, batch.classes, recipe.mixup, order, n_classes=n_classes)
    patches = seen_differently(patches, recipe, order, dark=dark)
    return batch._replace(patches=patches, targets=targets, pixel_classes=pixel_classes)


def seen_differently(
    patches: Float[Tensor, "n row col band"],
    recipe: Recipe,
    order: torch.Generator,
    *,
    dark: Float[Tensor, " band"],
) -> Float[Tensor, "n row col band"]:
    """The same places under another light, by another sensor, with gaps: what needs no label."""
    patches = relight(
        patches,
        dark,
        order,
        illumination=recipe.illumination,
        shading=recipe.shading,
        tilt=recipe.tilt,
    )
    patches = smooth_noise(patches, recipe.smooth_noise, order)
    patches = spectral_noise(patches, recipe.spectral_noise, order)
    patches = mask_stretch(
        drop_bands(patches, recipe.band_dropout, order), recipe.band_stretch, order
    )
    return drop_neighbours(patches, recipe.neighbour_dropout, order)


def _turned(batch: Batch, order: torch.Generator) -> Batch:
    symmetries = draw_symmetries(len(batch.patches), order)
    patches = turned(batch.patches, symmetries)
    if batch.pixel_classes is None:
        return batch._replace(patches=patches)
    classes = turned(batch.pixel_classes[..., None], symmetries)[..., 0]
    return batch._replace(patches=patches, pixel_classes=classes)
