"""Attribute profiles: components without the bright and dark regions that are too small or plain.

Dalla Mura et al. (2010) filter an image by what its connected regions are like: their area, how
drawn out they are, how varied, how far they reach. The defaults are thresholds that are customary
in the literature; areas suit scenes of some hundred pixels a side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float64

from pdml.errors import unknown_name
from pdml.optional import require
from pdml.patches.attribute_profile import RULES, attribute_profile
from pdml.patches.feature_kind import FEATURES, FeatureKind, require_numbers

STEPS = 1000
"""Components are rounded to this many steps between their least and largest fitted value."""

ATTRIBUTES = ("area", "inertia", "standard_deviation", "diagonal")


@FEATURES.register
@dataclass(frozen=True)
class Profiles(FeatureKind):
    """Each component in 1000 steps, then thickenings and thinnings by each attribute.

    An attribute without thresholds is left out. The component itself is there once: with the
    defaults 1 + 4 * 8 = 33 channels of each.

    Attributes:
        n_components: Principal components.
        area: Least pixels of a region.
        inertia: Least first moment of Hu, which is 0.16 for a disc and grows with length.
        standard_deviation: Least standard deviation of the values inside, in steps.
        diagonal: Least diagonal of the bounding box in pixels.
        rule: What a region passes on that is taken out: see `attribute_profile`.
    """

    n_components: int = 4
    area: Sequence[float] = (100, 500, 1000, 5000)
    inertia: Sequence[float] = (0.2, 0.3, 0.4, 0.5)
    standard_deviation: Sequence[float] = (20, 30, 40, 50)
    diagonal: Sequence[float] = (10, 25, 50, 100)
    rule: Literal["subtractive", "direct"] = "subtractive"

    def require_options(self) -> None:
        """Checks thresholds and rule."""
        for name in ATTRIBUTES:
            require_numbers(name, getattr(self, name))
        if self.rule not in RULES:
            raise unknown_name("rule of feature_options", str(self.rule), RULES)

    def require_packages(self) -> None:
        """Trees of regions are those of higra."""
        require("higra", extra="baselines")

    @property
    def per_component(self) -> int:
        """The component and two channels for each threshold."""
        return 1 + 2 * sum(len(getattr(self, name)) for name in ATTRIBUTES)

    def channels(
        self, component: Float64[np.ndarray, "row col"]
    ) -> Float64[np.ndarray, "channel row col"]:
        """The component in whole steps, and its profiles attribute by attribute."""
        image = np.rint(STEPS * component)
        thresholds = {name: getattr(self, name) for name in ATTRIBUTES}
        profiles = attribute_profile(image, thresholds, rule=self.rule)
        return np.concatenate([image[None], profiles])
