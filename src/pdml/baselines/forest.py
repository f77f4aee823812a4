"""Random forest (Breiman, 2001) as arrays: grown by scikit-learn, walked down here.

A node is a row of four arrays. All trees are walked down at once, one step for every pixel and tree
at a time, so a map needs neither scikit-learn nor a loop over pixels.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import torch
from jaxtyping import Float, Int
from sklearn.ensemble import RandomForestClassifier
from torch import Tensor

from pdml.baselines.learner import Examples, Learner

NO_CHILD = -1


class Forest(Learner):
    """Trees that each give shares of the classes; the forest gives their mean.

    Args:
        n_trees: Number of trees.
        n_nodes: Nodes of all of them.
        n_classes: Number of classes.
        depth: Steps from the root to the deepest leaf.
    """

    options: ClassVar[Mapping[str, Any]] = {"n_trees": 200, "features_per_split": 0}
    has_probability: ClassVar[bool] = True
    roots: Int[Tensor, " tree"]
    next_nodes: Int[Tensor, "node 2"]
    feature: Int[Tensor, " node"]
    threshold: Float[Tensor, " node"]
    shares: Float[Tensor, "node class_"]

    def __init__(self, *, n_trees: int, n_nodes: int, n_classes: int, depth: int) -> None:
        super().__init__()
        self.sizes = {
            "n_trees": n_trees, "n_nodes": n_nodes, "n_classes": n_classes, "depth": depth
        }  # fmt: skip
        self.register_buffer("roots", torch.zeros(n_trees, dtype=torch.int64))
        self.register_buffer("next_nodes", torch.zeros(n_nodes, 2, dtype=torch.int64))
        self.register_buffer("feature", torch.zeros(n_nodes, dtype=torch.int64))
        self.register_buffer("threshold", torch.zeros(n_nodes, dtype=torch.float64))
        self.register_buffer("shares", torch.zeros(n_nodes, n_classes, dtype=torch.float64))

    @classmethod
    def fit(
        cls, examples: Examples, *, seed: int, options: Mapping[str, Any], keep: Path | None
    ) -> Self:
        """Grows the trees; without `features_per_split` each split tries the root of all values."""
        del keep
        grown = RandomForestClassifier(
            options["n_trees"],
            max_features=options["features_per_split"] or "sqrt",
            random_state=seed,
        ).fit(examples.x, examples.classes)
        trees = [one.tree_ for one in grown.estimators_]
        counts = np.array([tree.node_count for tree in trees])
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
        forest = cls(
            n_trees=len(trees),
            n_nodes=int(counts.sum()),
            n_classes=examples.n_classes,
            depth=max(tree.max_depth for tree in trees),
        )
        forest.roots.copy_(torch.from_numpy(starts))
        for tree, start in zip(trees, starts, strict=True):
            forest._put(tree, int(start), grown.classes_)
        return forest

    def _put(self, tree: Any, start: int, classes: Int[np.ndarray, " seen"]) -> None:
        """Copies a tree behind those that are there; a leaf is its own child."""
        own = np.arange(tree.node_count)
        children = np.stack([tree.children_left, tree.children_right], axis=1)
        children = np.where(children == NO_CHILD, own[:, None], children) + start
        rows = slice(start, start + tree.node_count)
        self.next_nodes[rows] = torch.from_numpy(children)
        self.feature[rows] = torch.from_numpy(np.maximum(tree.feature, 0))
        self.threshold[rows] = torch.from_numpy(tree.threshold)
        self.shares[rows][:, torch.from_numpy(classes)] = torch.from_numpy(tree.value[:, 0])

    def forward(self, x: Float[Tensor, "n value"]) -> Float[Tensor, "n class_"]:
        """Logarithms of the mean shares."""
        x = x.float()  # as scikit-learn does
        node = self.roots.expand(len(x), -1)
        for _ in range(self.sizes["depth"]):
            goes_right = x.gather(1, self.feature[node]) > self.threshold[node]
            node = self.next_nodes[node, goes_right.long()]
        total = torch.zeros(len(x), self.shares.shape[1], dtype=torch.float64, device=x.device)
        for leaves in node.unbind(dim=1):  # in this order, as scikit-learn adds them up
            total += self.shares[leaves]
        return (total / node.shape[1]).log()
