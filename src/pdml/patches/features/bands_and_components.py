"""Bands and, behind them, principal components: what the stacked autoencoder looks at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from jaxtyping import Float64

from pdml.patches.feature_kind import FEATURES, FeatureKind


@FEATURES.register
@dataclass(frozen=True)
class BandsAndComponents(FeatureKind):
    """All bands, then the first components."""

    keeps_bands: ClassVar[bool] = True

    @property
    def per_component(self) -> int:
        """The component alone."""
        return 1

    def channels(
        self, component: Float64[np.ndarray, "row col"]
    ) -> Float64[np.ndarray, "channel row col"]:
        """The component as it is."""
        return component[None]
