"""PDML, SSRN, SVM and random forest on splits that leak much, little and nothing.

At random as in the paper, in blocks with a guard, on the published disjoint map, and with few
labels of each class; networks with one and the same recipe.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pdml.baselines.method import PLAIN, ClassicalMethod, method_named
from pdml.experiments.experiment import EXPERIMENTS, Claim, Experiment, Variant

_OURS = "PDML"
_CLASSICAL = ("svm_patch5", "svm", "rf")

# No pixel beyond the few validates: those who use it to choose an epoch have more labels.
_FEW = {"strategy": "per-class", "validation_per_class": 0, "largest_share": 0.5}
_SPLITS: dict[str, Mapping[str, Any]] = {
    "random": {"strategy": "random"},
    "blocks": {"strategy": "blocks"},
    "disjoint map": {"strategy": "published", "map": "disjoint", "validation": 0.1},
    **{f"{n} per class": {**_FEW, "train_per_class": n} for n in (5, 10, 20, 50)},
}


@EXPERIMENTS.register
def honest() -> Experiment:
    """The declaration."""
    methods: dict[str, Mapping[str, Any]] = {_OURS: {}, "SSRN": PLAIN}
    for name in _CLASSICAL:
        method = method_named(name)
        assert isinstance(method, ClassicalMethod)  # by its declaration
        methods[method.name_in_tables] = method.plain
    others = [name for name in methods if name != _OURS]
    return Experiment(
        name="honest",
        title="methods on splits that leak much, little and nothing",
        source="",
        variants=tuple(
            Variant(f"{name}, {where}", changes, split=split, series=name, at=where)
            for where, split in _SPLITS.items()
            for name, changes in methods.items()
        ),
        claims=tuple(
            Claim(f"{_OURS}, {where}", f"{other}, {where}") for where in _SPLITS for other in others
        ),
        shows="splits",
        recipe="default",
    )
