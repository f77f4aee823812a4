"""Convolutions over rows, columns and bands, in the memory layout that is fastest on a CPU."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn

CHANNELS_LAST = torch.channels_last_3d


def as_volume(patches: Float[Tensor, "n band row col"]) -> Float[Tensor, "n 1 row col band"]:
    """Patches with the bands as a third axis of space and one channel, channels last in memory."""
    return patches.permute(0, 2, 3, 1).unsqueeze(1).contiguous(memory_format=CHANNELS_LAST)


def bands_as_channels(
    volume: Float[Tensor, "n channel row col position"],
) -> Float[Tensor, "n feature row col"]:
    """What is left of the bands, folded into channels."""
    return volume.permute(0, 1, 4, 2, 3).flatten(1, 2)


class VolumeConvolution(nn.Conv3d):
    """A 3-D convolution whose kernels are laid out with channels last.

    The parameters stay as they are, since optimisers and checkpoints want them contiguous. With
    kernels of the other layout the framework takes up to twice as long.
    """

    def forward(
        self, input: Float[Tensor, "n channel row col band"]
    ) -> Float[Tensor, "n out row2 col2 band2"]:
        """Convolves."""
        kernels = self.weight.contiguous(memory_format=CHANNELS_LAST)
        result: Tensor = self._conv_forward(input, kernels, self.bias)
        return result
