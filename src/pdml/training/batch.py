"""`Batch`: what one step of training is given."""

from __future__ import annotations

from typing import NamedTuple

from jaxtyping import Float, Int
from torch import Tensor


class Lesson(NamedTuple):
    """Patches without a label, and what is to be said of them.

    Attributes:
        patches: What the network sees of them.
        taught: What the averaged weights say of the same places, as probabilities.
        weight: How much it counts.
    """

    patches: Float[Tensor, "n row col band"]
    taught: Float[Tensor, "n class_"]
    weight: float


class Batch(NamedTuple):
    """Patches with their labels.

    A tuple, so that Fabric can bring its tensors to another precision.

    Attributes:
        patches: What the network sees.
        classes: Class of each centre.
        pixel_classes: Class of each pixel for the metric loss, below 0 for pixels that are left
            out; None if all pixels count as their centre.
        targets: Shares of the classes in each patch, where patches are mixed.
        lesson: Patches without a label, where the recipe wants some.
    """

    patches: Float[Tensor, "n row col band"]
    classes: Int[Tensor, " n"]
    pixel_classes: Int[Tensor, "n row col"] | None = None
    targets: Float[Tensor, "n class_"] | None = None
    lesson: Lesson | None = None
