"""`Batches`: the training pixels as batches, epoch by epoch, as a recipe wants them."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from jaxtyping import Float, Int
from torch import Tensor

from pdml.patches.illumination import darkness
from pdml.patches.known_neighbours import KnownNeighbours
from pdml.patches.neighbour_masking import hide
from pdml.patches.samplers import m_per_class_batches, shuffled_batches
from pdml.patches.source import PatchSource
from pdml.scenes.labels import LabelledPixels
from pdml.splits.split import Split
from pdml.training.augmentation import augmented
from pdml.training.batch import Batch
from pdml.training.recipe import Recipe

PATCHES_AT_ONCE = 128


class Batches:
    """The training pixels of a split.

    Args:
        source: The scene's patches.
        split: Only its training pixels are looked at.
        recipe: How they are batched and augmented.
    """

    def __init__(self, source: PatchSource, split: Split, recipe: Recipe) -> None:
        self._source = source
        self._recipe = recipe
        self._n_classes = split.n_classes
        self._indices, self._classes = on_device(split.train, source.table.device)
        self._known: KnownNeighbours | None = None
        if recipe.known_neighbours != "as_centre":
            self._known = KnownNeighbours(source.grid, self._indices, self._classes)
        self._dark = darkness(source.standardiser)

    def epoch(self, order: torch.Generator) -> list[Int[Tensor, " batch"]]:
        """Which training pixels each step sees, by their positions: passes, or a part."""
        passes = self._pass(order)
        wanted = self._recipe.least_steps / self._recipe.epochs
        for _ in range(1, max(1, math.ceil(wanted / len(passes)))):
            passes = passes + self._pass(order)
        most = self._recipe.most_steps / self._recipe.epochs
        return passes[: math.ceil(most)] if most > 0 else passes

    def make(self, chosen: Int[Tensor, " batch"], order: torch.Generator) -> Batch:
        """The patches around some training pixels."""
        classes = self._classes[chosen]
        patches, pixel_classes = self._with_neighbours(self._indices[chosen], classes)
        batch = Batch(patches, classes, pixel_classes)
        return augmented(batch, self._recipe, order, dark=self._dark, n_classes=self._n_classes)

    def first(self) -> Float[Tensor, "n row col band"]:
        """Patches from all over the scene; the first pixels are neighbours of few classes."""
        size = self._recipe.batch_size
        step = max(1, len(self._indices) // size)
        return self._source.gather(self._indices[::step][:size])

    def all(self) -> Iterator[Float[Tensor, "n row col band"]]:
        """All training patches as they are, some at a time."""
        for some in torch.split(self._indices, PATCHES_AT_ONCE):
            yield self._source.gather(some)

    def _pass(self, order: torch.Generator) -> list[Int[Tensor, " batch"]]:
        recipe = self._recipe
        if recipe.per_class > 0:
            classes = self._classes.cpu()
            # A scene with few classes has smaller batches, not more pixels of each.
            size = min(recipe.batch_size, recipe.per_class * len(torch.unique(classes)))
            return m_per_class_batches(classes, recipe.per_class, size, generator=order)
        return shuffled_batches(len(self._classes), recipe.batch_size, generator=order)

    def _with_neighbours(
        self, indices: Int[Tensor, " n"], classes: Int[Tensor, " n"]
    ) -> tuple[Float[Tensor, "n row col band"], Int[Tensor, "n row col"] | None]:
        """Patches, and the classes of their pixels as far as the recipe asks for them."""
        patches = self._source.gather(indices)
        recipe = self._recipe
        of_centre = classes[:, None, None].expand(patches.shape[:3])
        if self._known is None:
            return patches, (of_centre if recipe.border_mixing > 0 else None)
        known = self._known.around(indices)
        foreign = (known >= 0) & (known != of_centre)
        if recipe.known_neighbours == "hidden":
            patches = hide(patches, foreign)
        others = known if recipe.known_neighbours == "own_class" else torch.full_like(known, -1)
        return patches, torch.where(foreign, others, of_centre)


def on_device(
    pixels: LabelledPixels, device: torch.device
) -> tuple[Int[Tensor, " n"], Int[Tensor, " n"]]:
    """Indices and classes of labelled pixels."""
    return (
        torch.from_numpy(pixels.indices).to(device),
        torch.from_numpy(pixels.classes).to(device),
    )


def class_weights(split: Split, power: float) -> list[float]:
    """Weight of each class in the cross-entropy, 1 on average over the training pixels.

    Args:
        split: Its training pixels are counted.
        power: Classes count by the inverse of their pixels to this power; 0 for pixels alike.

    Returns:
        One weight per class; nothing if all are alike.
    """
    if power == 0:
        return []
    counts = split.counts["train"]
    raw = [float(count) ** -power if count else 0.0 for count in counts]
    total = sum(weight * count for weight, count in zip(raw, counts, strict=True))
    return [weight * len(split.train) / float(total) for weight in raw]
