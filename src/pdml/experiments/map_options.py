"""How a scene is mapped."""

from __future__ import annotations

from dataclasses import dataclass

from pdml.embeddings.patch_model import PatchModel
from pdml.errors import InvalidInputError, unknown_name
from pdml.inference.unknown.detector import UNKNOWN
from pdml.inference.unknown.false_alarm import USUAL_FALSE_ALARM

PRECISIONS = ("32", "bf16", "auto")


@dataclass(frozen=True)
class MapOptions:
    """How a scene is mapped.

    Attributes:
        memory_bytes: What the process may take; a quarter of the machine's memory when None.
        tile_pixels: Side of a tile; found from the memory when None.
        scores: Measures of doubt that are written besides the combined one.
        min_probability: Below this probability of its class a pixel is rejected.
        false_alarm: Share of known pixels that may be shown as unknown; None shows none as such.
        cog: Whether a GeoTIFF is cloud-optimised.
        overwrite: Whether a map that is there may be replaced.
        device: Where the network runs.
        precision: `"32"`, `"bf16"`, or `"auto"` for the faster one.
    """

    memory_bytes: int | None = None
    tile_pixels: int | None = None
    scores: tuple[str, ...] = ()
    min_probability: float = 0.0
    false_alarm: float | None = None
    cog: bool = False
    overwrite: bool = False
    device: str = "auto"
    precision: str = "32"

    @property
    def wanted_scores(self) -> tuple[str, ...]:
        """All measures of doubt that a map needs besides the combined one."""
        needed = () if self.false_alarm is None else (UNKNOWN,)
        return tuple(dict.fromkeys([*self.scores, *needed]))

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


def false_alarm_of(*, reject: bool, rate: float | None) -> float | None:
    """The false-alarm rate that two options of the command line mean.

    Args:
        reject: Whether unknown pixels are to be shown.
        rate: The rate, if one was given.

    Raises:
        InvalidInputError: If there is a rate for what was not asked for.
    """
    if rate is not None and not reject:
        raise InvalidInputError(
            f"--false-alarm belongs to --reject, got --false-alarm {rate:g} alone; add --reject, "
            "or leave it out"
        )
    return (USUAL_FALSE_ALARM if rate is None else rate) if reject else None
