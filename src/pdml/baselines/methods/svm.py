"""Support vector machine with a Gaussian kernel on the spectrum of a pixel.

Exact: it equals a scikit-learn pipeline that standardises and fits. C and gamma are searched by
cross-validation on training pixels, over C from 2^0 to 2^15 and gamma from 2^-15 to 2^3 in two
steps. It chooses classes and gives no probabilities.
"""

from __future__ import annotations

from pdml.baselines.kernel_machine import KernelMachine
from pdml.baselines.method import METHODS, ClassicalMethod

ARTICLE = "Waske et al., IEEE TGRS 48(7), 2010"
SEARCH = "the grid of C and gamma is searched in two steps, on training pixels"


@METHODS.register
def svm() -> ClassicalMethod:
    """The declaration."""
    return ClassicalMethod(
        title="SVM with a Gaussian kernel on the spectrum",
        article=ARTICLE,
        status="exact",
        ours=SEARCH,
        label="SVM, spectrum",
        inputs={"patch_size": 1},
        changes={"learner": "svm"},
        learner=KernelMachine,
    )
