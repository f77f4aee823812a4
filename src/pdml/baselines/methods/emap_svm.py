"""Extended multi-attribute profiles of Dalla Mura et al. (2010) with a support vector machine.

A reconstruction: four attributes of four principal components, thresholds that are usual in the
literature, in front of the machine of `svm`. The paper's EMAP has no stated source or classifier.
"""

from __future__ import annotations

from pdml.baselines.method import METHODS, ClassicalMethod

ARTICLE = "Dalla Mura, Benediktsson, Waske and Bruzzone, IEEE TGRS 48(10), 2010"
INPUTS = {"patch_size": 1, "features": "profiles"}


@METHODS.register
def emap_svm() -> ClassicalMethod:
    """The declaration."""
    return ClassicalMethod(
        title="attribute profiles and an SVM",
        article=ARTICLE,
        status="reconstruction",
        ours="thresholds, which are `feature_options`",
        column="EMAP",
        label="EMAP, SVM",
        inputs=INPUTS,
        changes={"learner": "svm"},
    )
