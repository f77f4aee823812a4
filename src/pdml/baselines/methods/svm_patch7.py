"""Support vector machine with a Gaussian kernel on all values of a patch of 7 x 7 pixels.

Exact: the machine of `svm` on the flattened patch, which is what the article on SSRN
compares with and the paper quotes as SVM.
"""

from __future__ import annotations

from pdml.baselines.method import METHODS, ClassicalMethod
from pdml.baselines.methods.svm import ARTICLE, SEARCH


@METHODS.register
def svm_patch7() -> ClassicalMethod:
    """The declaration."""
    return ClassicalMethod(
        title="SVM with a Gaussian kernel on the flattened patch of 7 x 7 pixels",
        article=ARTICLE,
        status="exact",
        ours=SEARCH,
        column="SVM",
        label="SVM, 7 \N{MULTIPLICATION SIGN} 7",
        inputs={"patch_size": 7},
        changes={"learner": "svm"},
    )
