"""Distance to a border against a loop over all pixels."""

from __future__ import annotations

import math

import numpy as np

from pdml.evaluation.border_distance import border_distance


def test_it_is_the_distance_to_the_nearest_pixel_of_anything_else() -> None:
    codes = np.kron(np.random.default_rng(0).integers(0, 3, (3, 4)), np.ones((3, 3), int))
    found = border_distance(codes)
    places = list(np.ndindex(*codes.shape))
    for place in places:
        others = [math.dist(place, other) for other in places if codes[other] != codes[place]]
        assert math.isclose(found[place], min(others))


def test_a_scene_of_one_class_has_no_border() -> None:
    assert np.isinf(border_distance(np.ones((2, 3), int))).all()
