"""The 2-D network that Aptoula et al. (2016) put behind attribute profiles: a reconstruction.

Convolutions with 48, 96 and 96 filters, one pooling, and a full layer of 1024 units; a 9 x 9 patch
becomes one pixel. It is made for profiles of principal components by area and moment of inertia:
`features = "profiles"`, `feature_options = { standard_deviation = [], diagonal = [] }`,
`patch_size = 9`.
"""

from __future__ import annotations

from typing import ClassVar

from pdml.embeddings.backbone import BACKBONES
from pdml.embeddings.padding import Padding
from pdml.embeddings.plane_stack import Layer, PlaneStack

LAYERS = (Layer(48, 3, always_padded=True), Layer(96, 3, pools=True), Layer(96, 3))
N_FULL = 1024


@BACKBONES.register
class Ecnn(PlaneStack):
    """The network up to its last layer.

    Args:
        n_bands: Channels of the features.
        padding: `"collapsed"`: only the first convolution is padded, and a 9 x 9 patch becomes one
            pixel; `"same"` keeps rows and columns.
    """

    options: ClassVar[tuple[str, ...]] = ("padding",)

    def __init__(self, *, n_bands: int, padding: Padding = "same") -> None:
        super().__init__()
        self.n_bands = n_bands
        self.add_layers(LAYERS, full=(N_FULL,), padding=padding)
