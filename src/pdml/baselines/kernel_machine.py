"""Support vector machine with a Gaussian kernel, one class against one other (as LIBSVM does it).

Fitted by scikit-learn and kept as arrays: the support vectors, and what each of them counts in the
decision between each pair of classes. A pixel gets one vote per pair. There are no probabilities:
votes are none, and the usual ways to make some (Platt, 1999) change which class is chosen.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import torch
from jaxtyping import Float, Int
from sklearn.svm import SVC
from torch import Tensor

from pdml.baselines.grid_search import Found, search
from pdml.baselines.learner import Examples, Learner
from pdml.errors import InvalidInputError

CACHE_MB = 500


class KernelMachine(Learner):
    """Votes of all pairs of classes.

    Args:
        n_vectors: Support vectors.
        n_values: Values of a flattened patch.
        n_seen: Classes with training pixels.
        n_classes: All classes.
    """

    options: ClassVar[Mapping[str, Any]] = {
        "c": 0.0, "gamma": 0.0, "folds": 5, "most_searched": 3000
    }  # fmt: skip
    vectors: Float[Tensor, "vector value"]
    squares: Float[Tensor, " vector"]
    weights: Float[Tensor, "vector pair"]
    intercepts: Float[Tensor, " pair"]
    pairs: Int[Tensor, "pair 2"]
    gamma: Float[Tensor, ""]

    def __init__(self, *, n_vectors: int, n_values: int, n_seen: int, n_classes: int) -> None:
        super().__init__()
        self.sizes = {
            "n_vectors": n_vectors, "n_values": n_values, "n_seen": n_seen, "n_classes": n_classes
        }  # fmt: skip
        n_pairs = n_seen * (n_seen - 1) // 2
        for name, shape in {
            "vectors": (n_vectors, n_values),
            "squares": (n_vectors,),
            "weights": (n_vectors, n_pairs),
            "intercepts": (n_pairs,),
            "gamma": (),
        }.items():
            self.register_buffer(name, torch.zeros(shape, dtype=torch.float64))
        self.register_buffer("pairs", torch.zeros(n_pairs, 2, dtype=torch.int64))

    @classmethod
    def fit(
        cls, examples: Examples, *, seed: int, options: Mapping[str, Any], keep: Path | None
    ) -> Self:
        """Searches C and gamma, unless the options say both, and fits all training pixels.

        Raises:
            InvalidInputError: If the options say only one of the two.
        """
        if (options["c"] > 0) != (options["gamma"] > 0):
            raise InvalidInputError(
                f"a kernel machine needs both c and gamma or neither, got c = {options['c']:g} and "
                f"gamma = {options['gamma']:g}; leave both out to have them searched"
            )
        found = Found(options["c"], options["gamma"])
        if not options["c"]:
            found = search(
                examples.x,
                examples.classes,
                seed=seed,
                n_folds=options["folds"],
                most=options["most_searched"],
                keep=keep,
            )
        fitted = SVC(C=found.c, gamma=found.gamma, cache_size=CACHE_MB)
        fitted.fit(examples.x, examples.classes)
        return cls._from_fitted(fitted, n_classes=examples.n_classes)

    @classmethod
    def _from_fitted(cls, fitted: SVC, *, n_classes: int) -> Self:
        vectors = np.asarray(fitted.support_vectors_, dtype=np.float64)
        seen = fitted.classes_
        machine = cls(
            n_vectors=len(vectors), n_values=vectors.shape[1], n_seen=len(seen), n_classes=n_classes
        )
        weights = np.zeros((len(vectors), len(machine.pairs)))
        ends = np.cumsum(fitted.n_support_)
        of_class = [slice(end - n, end) for n, end in zip(fitted.n_support_, ends, strict=True)]
        for pair, (one, other) in enumerate(combinations(range(len(seen)), 2)):
            # Row k of dual_coef_ is about the k-th of the other classes.
            weights[of_class[one], pair] = fitted.dual_coef_[other - 1, of_class[one]]
            weights[of_class[other], pair] = fitted.dual_coef_[one, of_class[other]]
        # Between two classes scikit-learn counts for the second one, among more for the first.
        sign = -1.0 if len(seen) == 2 else 1.0
        machine.vectors.copy_(torch.from_numpy(vectors))
        machine.squares.copy_((machine.vectors**2).sum(dim=1))
        machine.weights.copy_(torch.from_numpy(sign * weights))
        machine.intercepts.copy_(torch.from_numpy(sign * fitted.intercept_))
        machine.pairs.copy_(torch.tensor(list(combinations(seen.tolist(), 2))))
        machine.gamma.fill_(fitted.gamma)
        return machine

    def forward(self, x: Float[Tensor, "n value"]) -> Float[Tensor, "n class_"]:
        """0 for the class with the most votes, the first among equals; else minus infinity."""
        x = x.double()
        distances = (x**2).sum(dim=1)[:, None] + self.squares - 2 * x @ self.vectors.T
        kernel = torch.exp(-self.gamma * distances)
        first_wins = kernel @ self.weights + self.intercepts > 0
        winners = torch.where(first_wins, self.pairs[:, 0], self.pairs[:, 1])
        votes = torch.zeros(len(x), self.sizes["n_classes"], device=x.device)
        votes.scatter_add_(1, winners, torch.ones_like(winners, dtype=votes.dtype))
        said = torch.full_like(votes, -torch.inf)
        return said.scatter_(1, votes.argmax(dim=1, keepdim=True), 0.0)
