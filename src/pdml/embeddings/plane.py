"""Convolutions and pooling in the plane that wear the border away, or keep it where laps must be.

A network of the literature shrinks a patch to one pixel. With `padding = "same"` the same weights
run over a padded patch: convolutions are padded, and pooling takes the largest of the 3 x 3 pixels
around each one instead of one of 2 x 2, so that every pixel keeps a place of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import max_pool2d, pad

from pdml.embeddings.padding import Padding

HALVED = 0
"""Stands for a pooling among the sides of kernels."""


class PlaneConvolution(nn.Conv2d):
    """A convolution of any kernel, padded or not; an even kernel is padded by one more behind.

    Args:
        n_in: Channels of the input.
        n_out: Filters.
        side: Side of the kernel.
        padding: Whether rows and columns are kept.
    """

    def __init__(self, n_in: int, n_out: int, side: int, *, padding: Padding) -> None:
        super().__init__(n_in, n_out, side)
        before, behind = ((side - 1) // 2, side // 2) if padding == "same" else (0, 0)
        self.around = (before, behind, before, behind)

    def forward(
        self, input: Float[Tensor, "n channel row col"]
    ) -> Float[Tensor, "n out row2 col2"]:
        """Convolves over rows and columns."""
        padded = pad(input, self.around) if any(self.around) else input
        convolved: Tensor = super().forward(padded)
        return convolved


def pooled(
    x: Float[Tensor, "n channel row col"], *, padding: Padding
) -> Float[Tensor, "n channel row2 col2"]:
    """The largest of 2 x 2 pixels at half the resolution, or of 3 x 3 at the same."""
    return max_pool2d(x, 3, stride=1, padding=1) if padding == "same" else max_pool2d(x, 2)


def side_left(patch_size: int, kernels: Sequence[int], *, padding: Padding) -> int:
    """Side of what is left of a patch; 0 if nothing is.

    Args:
        patch_size: Side of the patch.
        kernels: Sides of the kernels in their order, `HALVED` for a pooling.
        padding: With `"same"` all is left.
    """
    if padding == "same":
        return patch_size
    side = patch_size
    for kernel in kernels:
        side = side // 2 if kernel == HALVED else side - kernel + 1
    return max(0, side)
