"""Support vector machine with a Gaussian kernel on all values of a patch of 5 x 5 pixels.

Exact: the machine of `svm` on the flattened patch.
"""

from __future__ import annotations

from pdml.baselines.method import METHODS, ClassicalMethod
from pdml.baselines.methods.svm import ARTICLE, SEARCH


@METHODS.register
def svm_patch5() -> ClassicalMethod:
    """The declaration."""
    return ClassicalMethod(
        title="SVM with a Gaussian kernel on the flattened patch of 5 x 5 pixels",
        article=ARTICLE,
        status="exact",
        ours=SEARCH,
        label="SVM, 5 \N{MULTIPLICATION SIGN} 5",
        inputs={"patch_size": 5},
        changes={"learner": "svm"},
    )
