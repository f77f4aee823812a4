"""Extended multi-attribute profiles of Dalla Mura et al. (2010) with a random forest.

A reconstruction: the profiles of `emap_svm` in front of the forest of `rf`.
"""

from __future__ import annotations

from pdml.baselines.method import METHODS, ClassicalMethod
from pdml.baselines.methods.emap_svm import ARTICLE, INPUTS


@METHODS.register
def emap_rf() -> ClassicalMethod:
    """The declaration."""
    return ClassicalMethod(
        title="attribute profiles and a random forest",
        article=ARTICLE,
        status="reconstruction",
        ours="thresholds, which are `feature_options`",
        column="EMAP",
        label="EMAP, RF",
        inputs=INPUTS,
        changes={"learner": "rf"},
    )
