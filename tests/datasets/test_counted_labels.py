"""Label maps by counts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.ndimage import label

from pdml.datasets.counted_labels import counted_labels
from pdml.errors import InvalidInputError


def test_each_class_has_exactly_its_pixels() -> None:
    counts = (40, 3, 500, 1, 120)
    codes = counted_labels((40, 30), counts, rng=np.random.default_rng(0))
    assert tuple(np.bincount(codes.ravel(), minlength=6)[1:]) == counts


def test_pixels_of_a_class_lie_together() -> None:
    codes = counted_labels((60, 60), (400, 400), rng=np.random.default_rng(1))
    _, n_blobs = label(codes == 1)
    scattered = np.random.default_rng(1).permutation(3600).reshape(60, 60) < 400
    assert n_blobs < label(scattered)[1] / 5


def test_a_scene_may_be_labelled_everywhere_but_not_more() -> None:
    rng = np.random.default_rng(0)
    assert (counted_labels((5, 4), (12, 8), rng=rng) > 0).all()
    with pytest.raises(InvalidInputError, match=r"21 labelled pixels were asked for, 5 x 4 pixels"):
        counted_labels((5, 4), (12, 9), rng=rng)
