"""The 2-D network that Chen et al. (2017) put behind Gabor filters: a reconstruction.

Three convolutions with 32, 64 and 128 filters and two poolings, after the 2-D network of the same
authors' article of 2016; a 27 x 27 patch becomes one pixel. It is made for a few principal
components and what Gabor filters find in them: `features = "gabor"`, `patch_size = 27`.
"""

from __future__ import annotations

from typing import ClassVar

from pdml.embeddings.backbone import BACKBONES
from pdml.embeddings.padding import Padding
from pdml.embeddings.plane_stack import Layer, PlaneStack

LAYERS = (Layer(32, 4, pools=True), Layer(64, 5, pools=True), Layer(128, 4))


@BACKBONES.register
class Gcnn(PlaneStack):
    """The network up to its last layer.

    Args:
        n_bands: Channels of the features.
        padding: `"collapsed"` is the geometry without padding, in which a 27 x 27 patch becomes
            one pixel; `"same"` keeps rows and columns.
    """

    options: ClassVar[tuple[str, ...]] = ("padding",)

    def __init__(self, *, n_bands: int, padding: Padding = "same") -> None:
        super().__init__()
        self.n_bands = n_bands
        self.add_layers(LAYERS, padding=padding)
