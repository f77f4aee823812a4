"""How a scene is mapped."""

from __future__ import annotations

from dataclasses import dataclass

from pdml.embeddings.patch_model import PatchModel
from pdml.errors import InvalidInputError, unknown_name

PRECISIONS = ("32", "bf16", "auto")


@dataclass(frozen=True)
class MapOptions:
    """How a scene is mapped.

    Attributes:
        memory_bytes: What the process may take; a quarter of the machine's memory when None.
        tile_pixels: Side of a tile; found from the memory when None.
        min_probability: Below this probability of its class a pixel is rejected.
        cog: Whether a GeoTIFF is cloud-optimised.
        overwrite: Whether a map that is there may be replaced.
        device: Where the network runs.
        precision: `"32"`, `"bf16"`, or `"auto"` for the faster one.
    """

    memory_bytes: int | None = None
    tile_pixels: int | None = None
    min_probability: float = 0.0
    cog: bool = False
    overwrite: bool = False
    device: str = "auto"
    precision: str = "32"

    def require_sound(self, kind: str) -> None:
        """Checks what does not depend on the scene.

        Args:
            kind: Format of the map.

        Raises:
            InvalidInputError: If a value is outside of its range or does not go with the format.
            UnknownNameError: If there is no such precision.
        """
        if self.precision not in PRECISIONS:
            raise unknown_name("precision", self.precision, PRECISIONS)
        if not 0 <= self.min_probability <= 1:
            raise InvalidInputError(
                f"--min-probability must be from 0 to 1, got {self.min_probability:g}; with 0.5 "
                "pixels are rejected whose class is less probable than all others together"
            )
        if self.cog and kind != "tif":
            raise InvalidInputError(
                f"--cog is for GeoTIFF, but this map is written as {kind}; leave it out, or let "
                "the name end in .tif"
            )

    def require_possible(self, model: PatchModel) -> None:
        """Checks what depends on the model.

        Raises:
            InvalidInputError: If pixels are to be rejected by probabilities that it does not give.
        """
        if self.min_probability > 0 and not model.has_probability:
            raise InvalidInputError(
                "--min-probability needs a model with probabilities, this one only chooses "
                "classes; leave it out, or map with a run of a method that has them, such as rf"
            )
