"""Layers and categories say what the map says, in codes that other software reads."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from pdml.inference.categories import Categories
from pdml.inference.class_map import ClassMap
from pdml.inference.layers import description, scores_in
from pdml.inference.legend_files import qml
from tests.inference.maps import CATEGORIES, small_layers, small_map

MAP = ClassMap(
    probability=np.array(
        [[[0.5, 0.25, 0.25], [1, 0, 0]], [[0.1, 0.3, 0.6], [0, 0, 0]]], np.float32
    ),
    embedding_variance=np.array([[1, 2], [3, 4]], np.float32),
    measured=np.array([[True, True], [True, False]]),
    class_names=("oats", "corn", "woods"),
    min_probability=0.6,
)


def test_codes_are_classes_from_one_then_rejected_and_zero_without_data() -> None:
    layers = small_layers(MAP).array
    np.testing.assert_array_equal(layers["classes"], [[4, 1], [3, 0]])
    np.testing.assert_array_equal(MAP.rejected, [[True, False], [False, False]])


def test_nothing_is_rejected_without_a_smallest_probability() -> None:
    layers = small_layers(ClassMap(MAP.probability, None, MAP.measured, MAP.class_names)).array
    np.testing.assert_array_equal(layers["classes"], [[1, 1], [3, 0]])
    assert layers.dtype.names == ("classes", "top_probability", "entropy")


def test_doubt_is_undefined_where_nothing_was_measured() -> None:
    layers = small_layers(MAP).array
    np.testing.assert_array_equal(
        layers["top_probability"], np.array([[0.5, 1], [0.6, math.nan]], np.float32)
    )
    np.testing.assert_array_equal(layers["embedding_variance"], [[1, 2], [3, math.nan]])
    by_hand = -(0.5 * math.log(0.5) + 0.5 * math.log(0.25)) / math.log(3)
    assert math.isclose(layers["entropy"][0, 0], by_hand, rel_tol=1e-6)


def test_probabilities_are_kept_on_request() -> None:
    layers = small_layers(small_map(), keeps_probability=True).array
    np.testing.assert_array_equal(layers["probability"], small_map().probability)


def test_names_and_colours_go_by_code() -> None:
    assert CATEGORIES.names == ["not measured", "oats", "corn & maize", "woods", "rejected"]
    assert CATEGORIES.rgba[0] == (0, 0, 0, 0)
    assert CATEGORIES.rgba[1] == (255, 0, 0, 255)
    assert CATEGORIES.rgba[4] == (0, 0, 0, 255)


def test_unknown_pixels_have_a_code_of_their_own_even_where_they_are_improbable() -> None:
    scores = {"unknown": np.array([[2.0, 2.0], [0.5, 9.0]], np.float32)}
    with_unknown = replace(MAP, scores=scores, unknown_above=1.5)
    np.testing.assert_array_equal(with_unknown.codes, [[5, 5], [3, 0]])
    at_the_threshold = replace(with_unknown, unknown_above=2.0)
    np.testing.assert_array_equal(at_the_threshold.codes, [[4, 1], [3, 0]])
    assert not MAP.unknown.any()


def test_the_unknown_keep_their_code_where_nothing_is_rejected() -> None:
    for rejects in (True, False):
        categories = Categories(("a", "b"), ("#ff0000", "#00ff00"), rejects, finds_unknown=True)
        assert categories.names == ["not measured", "a", "b", "rejected", "unknown"]
        assert categories.rgba[4] == (255, 0, 255, 255)
        assert categories.shown == ([1, 2, 3, 4] if rejects else [1, 2, 4])


def test_a_legend_for_qgis_shows_what_a_pixel_can_be() -> None:
    text = qml(Categories(("a", "b"), ("#ff0000", "#00ff00"), finds_unknown=True))
    assert 'value="4" color="#ff00ff" label="unknown"' in text
    assert "rejected" not in text


def test_codes_take_one_byte_as_long_as_they_fit() -> None:
    for n_classes, finds_unknown, itemsize in (
        (254, False, 1),
        (255, False, 2),
        (253, True, 1),
        (254, True, 2),
    ):
        names = [str(k) for k in range(n_classes)]
        categories = Categories(names, [], rejects=True, finds_unknown=finds_unknown)
        assert categories.dtype.itemsize == itemsize
        assert len(categories.names) - 1 <= np.iinfo(categories.dtype).max


def test_scores_are_layers_after_the_others_with_what_they_are() -> None:
    judged = ClassMap(
        MAP.probability,
        None,
        MAP.measured,
        MAP.class_names,
        scores={"doubt": np.full((2, 2), 0.25, np.float32), "distance": np.ones((2, 2))},
    )
    layers = small_layers(judged).array
    assert layers.dtype.names == ("classes", "top_probability", "entropy", "doubt", "distance")
    np.testing.assert_array_equal(layers["doubt"], [[0.25, 0.25], [0.25, math.nan]])
    assert scores_in(layers.dtype) == ["doubt", "distance"]
    assert description("doubt").startswith("all measures of doubt in one")
    assert description("distance").startswith("Distance to the nearest class mean")
    assert description("entropy") == "entropy of the class probabilities, 0 sure to 1 undecided"
