"""The forest beside scikit-learn's own."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.ensemble import RandomForestClassifier

from pdml.baselines.forest import Forest
from pdml.baselines.learner import Examples, checked_options
from tests.baselines.test_kernel_machine import blobs


@pytest.mark.parametrize("per_split", [0, 3])
def test_probabilities_are_those_of_scikit_learn(per_split: int) -> None:
    examples = blobs(4)
    x = np.random.default_rng(1).normal(1, 2, size=(300, 6)).astype(np.float32)
    options = checked_options(Forest, {"n_trees": 30, "features_per_split": per_split})
    forest = Forest.fit(examples, seed=5, options=options, keep=None)
    plain = RandomForestClassifier(30, max_features=per_split or "sqrt", random_state=5)
    plain.fit(examples.x, examples.classes)
    ours = forest(torch.from_numpy(x)).exp().numpy()
    np.testing.assert_allclose(ours, plain.predict_proba(x), atol=1e-14)
    np.testing.assert_array_equal(ours.argmax(axis=1), plain.predict(x))
    assert forest.has_probability


def test_a_class_without_training_pixels_has_no_probability() -> None:
    examples = blobs(2)
    renamed = Examples(examples.x, np.array([0, 2])[examples.classes], 4)
    forest = Forest.fit(renamed, seed=0, options=checked_options(Forest, {}), keep=None)
    said = forest(torch.from_numpy(examples.x)).exp()
    assert (said[:, [1, 3]] == 0).all()
    np.testing.assert_array_equal(said.argmax(dim=1).numpy(), renamed.classes)
