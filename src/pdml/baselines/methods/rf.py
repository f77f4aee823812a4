"""Random forest of Breiman (2001) on the spectrum of a pixel.

Exact: 200 trees of scikit-learn, each split tries the root of the number of bands. Probabilities
are the mean shares of the classes in the leaves.
"""

from __future__ import annotations

from pdml.baselines.forest import Forest
from pdml.baselines.method import METHODS, ClassicalMethod

ARTICLE = "Breiman, Machine Learning 45, 2001"


@METHODS.register
def rf() -> ClassicalMethod:
    """The declaration."""
    return ClassicalMethod(
        title="random forest on the spectrum",
        article=ARTICLE,
        status="exact",
        ours="200 trees",
        label="RF, spectrum",
        inputs={"patch_size": 1},
        changes={"learner": "rf"},
        learner=Forest,
    )
