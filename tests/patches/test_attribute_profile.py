"""Attribute filters against scikit-image, and against regions that are found anew at each level."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter, label
from skimage.morphology import area_closing, area_opening

from pdml.patches.attribute_profile import attribute_profile

GENERATOR = np.random.default_rng(0)
SMOOTH = np.rint(1000 * gaussian_filter(GENERATOR.normal(size=(60, 50)), 2))
TINY = GENERATOR.integers(0, 7, (9, 8)).astype(float)


@pytest.mark.parametrize("rule", ["subtractive", "direct"])
def test_area_profiles_are_the_area_closings_and_openings_of_scikit_image(rule: str) -> None:
    areas = [2, 10, 100, 700]
    found = attribute_profile(SMOOTH, {"area": areas}, rule=rule)
    levels = SMOOTH.astype(int)
    closings = [area_closing(levels, value, connectivity=1) for value in areas]
    openings = [area_opening(levels, value, connectivity=1) for value in areas]
    np.testing.assert_array_equal(found, np.stack([*closings, *openings]))


def _std(image: np.ndarray, inside: np.ndarray) -> float:
    return float(np.std(image[inside]))


def _diagonal(image: np.ndarray, inside: np.ndarray) -> float:
    rows, cols = np.nonzero(inside)
    return float(np.sqrt((np.ptp(rows) + 1) ** 2 + (np.ptp(cols) + 1) ** 2))


def _inertia(image: np.ndarray, inside: np.ndarray) -> float:
    places = np.argwhere(inside)
    return float(((places - places.mean(axis=0)) ** 2).sum() / len(places) ** 2)


Attribute = Callable[[np.ndarray, np.ndarray], float]
ATTRIBUTES: dict[str, tuple[Attribute, tuple[float, ...]]] = {
    "standard_deviation": (_std, (0.3, 0.9, 1.4)),
    "diagonal": (_diagonal, (2.0, 4.1, 8.5)),
    "inertia": (_inertia, (0.1, 0.17, 0.3)),
}


def thinned(image: np.ndarray, attribute: Attribute, least: float, rule: str) -> np.ndarray:
    """Looks at every region of every level, from the lowest up."""
    left = np.full(image.shape, image.min())
    for low, level in zip(np.unique(image)[:-1], np.unique(image)[1:], strict=True):
        numbers, n_regions = label(image >= level)
        for number in range(1, n_regions + 1):
            inside = numbers == number
            # A region in which nothing has just this level is one of a higher level.
            at = image[inside].min()
            if attribute(image, inside) >= least:
                if rule == "subtractive":
                    left[inside] += level - low
                elif at == level:
                    left[inside] = level
    return left


@pytest.mark.parametrize("name", ATTRIBUTES)
@pytest.mark.parametrize("rule", ["subtractive", "direct"])
def test_other_attributes_are_those_of_regions_found_level_by_level(name: str, rule: str) -> None:
    attribute, thresholds = ATTRIBUTES[name]
    found = attribute_profile(TINY, {name: thresholds}, rule=rule)
    thinnings = [thinned(TINY, attribute, least, rule) for least in thresholds]
    thickenings = [-thinned(-TINY, attribute, least, rule) for least in thresholds]
    np.testing.assert_array_equal(found, np.stack([*thickenings, *thinnings]))
    assert (found[3:] <= TINY).all()
    assert (found[:3] >= TINY).all()
    assert (found != TINY).any()


def test_the_rules_differ_where_a_drawn_out_region_lies_in_a_round_one() -> None:
    # A square of 5 x 5 with a line of 5 on it: inertia 8 / 50 = 0.16 and 10 / 25 = 0.4.
    image = np.zeros((9, 9))
    image[2:7, 2:7] = 10
    image[4, 2:7] = 14
    thresholds = {"inertia": [0.2]}
    _, subtractive = attribute_profile(image, thresholds)
    _, direct = attribute_profile(image, thresholds, rule="direct")
    line = image == 14
    np.testing.assert_array_equal(subtractive, 4.0 * line)
    np.testing.assert_array_equal(direct, 14.0 * line)
    _, kept = attribute_profile(image, {"inertia": [0.4]})
    np.testing.assert_array_equal(kept, subtractive)
    _, gone = attribute_profile(image, {"inertia": [0.4001]})
    assert not gone.any()


def test_thickenings_come_before_thinnings_attribute_by_attribute() -> None:
    thresholds = {"area": [5, 50], "diagonal": [9], "inertia": []}
    found = attribute_profile(SMOOTH, thresholds)
    alone = [attribute_profile(SMOOTH, {name: least}) for name, least in thresholds.items()]
    np.testing.assert_array_equal(found, np.concatenate(alone))
    assert [len(part) for part in alone] == [4, 2, 0]


def test_a_standard_deviation_keeps_its_digits_far_from_zero() -> None:
    # Two values apart by 2 in a region have a standard deviation of 1.
    image = np.zeros((6, 6))
    image[1:5, 1:5] = 1e7
    image[1:5, 1:3] += 2
    for least, stays in ((0.999999, True), (1.000001, False)):
        _, found = attribute_profile(image, {"standard_deviation": [least]})
        np.testing.assert_array_equal(found > 0, (image > 0) & stays)
