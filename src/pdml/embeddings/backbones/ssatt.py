"""SSAtt, the two attention-aided networks of Hang et al. (2020), without their last layers.

Two networks of three 3 x 3 convolutions with 32, 64 and 128 filters run side by side. One weighs
channels behind each convolution, the other pixels. Their ends are summed in shares of alpha and
1 - alpha, which are learnt: since the last layers are linear, the shares are applied to the
features and one layer does for both. The classifiers behind the first four attentions, which the
article trains along, are left out, as in re-implementations that train the sum alone.
"""

from __future__ import annotations

from typing import ClassVar, Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import relu

from pdml.embeddings.backbone import BACKBONES, Backbone
from pdml.embeddings.normalisation import normalised
from pdml.embeddings.padding import Padding, require_padding
from pdml.embeddings.plane import HALVED, pooled, side_left
from pdml.errors import unknown_name

WIDTHS = (32, 64, 128)
KERNELS_ALONG = (3, 5, 7)
"""Of the convolutions that weigh channels, behind each of the three."""

KERNELS_AROUND = (7, 5, 3)
"""Of the convolutions that weigh pixels."""

GATES = ("full", "along")
FIRST_ALPHA = 0.5


class ChannelGate(nn.Module):
    """Weighs channels by their means over the patch.

    The article convolves along the channels. Code that the field uses gives the convolution all
    channels as inputs and outputs instead, of a sequence of length one: a full layer, whose kernel
    beside the middle is never used and is left out here.

    Args:
        width: Channels.
        kernel: Length of the kernels along the channels.
        gate: `"full"` or `"along"`.
    """

    def __init__(self, width: int, kernel: int, gate: str) -> None:
        super().__init__()
        self.along = gate == "along"
        make = self._along if self.along else nn.Linear
        sizes = (kernel, kernel) if self.along else (width, width)
        self.first, self.second = make(*sizes), make(*sizes)

    @staticmethod
    def _along(kernel: int, _: int) -> nn.Conv1d:
        return nn.Conv1d(1, 1, kernel, padding=kernel // 2)

    def forward(self, x: Float[Tensor, "n channel row col"]) -> Float[Tensor, "n channel row col"]:
        """The map, weighed by channel."""
        mean = x.mean(dim=(2, 3))
        if self.along:
            weights = self.second(relu(self.first(mean.unsqueeze(1)))).squeeze(1)
        else:
            weights = self.second(relu(self.first(mean)))
        return x * torch.sigmoid(weights)[:, :, None, None]


class PixelGate(nn.Module):
    """Weighs pixels by two convolutions of one combination of the channels."""

    def __init__(self, width: int, kernel: int) -> None:
        super().__init__()
        self.combine = nn.Conv2d(width, 1, 1)
        self.first = nn.Conv2d(1, 1, kernel, padding=kernel // 2)
        self.second = nn.Conv2d(1, 1, kernel, padding=kernel // 2)

    def forward(self, x: Float[Tensor, "n channel row col"]) -> Float[Tensor, "n channel row col"]:
        """The map, weighed by pixel."""
        weights = self.second(relu(self.first(relu(self.combine(x)))))
        return x * torch.sigmoid(weights)


class Branch(nn.Module):
    """Three convolutions, each followed by a gate, with pooling before the second and third."""

    def __init__(self, n_bands: int, gates: list[nn.Module], *, padding: Padding) -> None:
        super().__init__()
        self.padding: Padding = padding
        widths = (n_bands, *WIDTHS)
        self.convolutions = nn.ModuleList(
            normalised(nn.Conv2d(widths[i], widths[i + 1], 3, padding=1)) for i in range(3)
        )
        self.gates = nn.ModuleList(gates)

    def forward(
        self, x: Float[Tensor, "n band row col"]
    ) -> Float[Tensor, "n channel row_left col_left"]:
        """The branch."""
        for number, (convolution, gate) in enumerate(
            zip(self.convolutions, self.gates, strict=True)
        ):
            x = relu(convolution(x))
            x = gate(pooled(x, padding=self.padding) if number else x)
        return x


@BACKBONES.register
class Ssatt(Backbone):
    """Both networks up to their last layers.

    Args:
        n_bands: Bands of the scene.
        padding: `"collapsed"` is the published geometry: pooling makes 2 x 2 pixels of a patch of 8
            to 11, which are folded into 512 features beside the 128 of the other network. With
            `"same"` every pixel keeps the features of both.
        gate: How channels are weighed: by a `"full"` layer, or by convolutions `"along"` them.
    """

    options: ClassVar[tuple[str, ...]] = ("padding", "gate")

    def __init__(
        self,
        *,
        n_bands: int,
        padding: Padding = "same",
        gate: Literal["full", "along"] = "full",
    ) -> None:
        super().__init__()
        require_padding(padding)
        if gate not in GATES:
            raise unknown_name("gate", gate, GATES)
        self.n_bands = n_bands
        self.padding: Padding = padding
        self.n_features = WIDTHS[-1] * (2 if padding == "same" else 1 + 4)
        along, around = (zip(WIDTHS, k, strict=True) for k in (KERNELS_ALONG, KERNELS_AROUND))
        channel_gates = [ChannelGate(*sizes, gate) for sizes in along]
        pixel_gates = [PixelGate(*sizes) for sizes in around]
        self.spectral = Branch(n_bands, [*channel_gates], padding=padding)
        self.spatial = Branch(n_bands, [*pixel_gates], padding=padding)
        self.alpha = nn.Parameter(torch.tensor(FIRST_ALPHA))

    def output_size(self, patch_size: int) -> int:
        """The patch's own; else one, if pooling leaves 2 x 2 pixels to be folded."""
        if self.padding == "same":
            return patch_size
        return int(side_left(patch_size, (HALVED, HALVED), padding=self.padding) == 2)

    def spectra(self, pixels: Float[Tensor, "pixel band"]) -> Float[Tensor, "pixel feature"]:
        """The spectra as they are: every layer sees neighbours."""
        return pixels

    def patches(
        self, features: Float[Tensor, "n channel row col"]
    ) -> Float[Tensor, "n feature row_left col_left"]:
        """Both networks, in their shares."""
        x = features.contiguous(memory_format=torch.channels_last)
        share = torch.sigmoid(self.alpha)
        spectral = share * self.spectral(x)
        spatial = (1 - share) * self.spatial(x)
        if self.padding == "collapsed":
            spectral = spectral.mean(dim=(2, 3), keepdim=True)
            spatial = spatial.flatten(1)[:, :, None, None]
        return torch.cat([spectral, spatial], dim=1)
