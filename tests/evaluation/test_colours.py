"""Colours of classes: distinct, also for those who see colours differently."""

from __future__ import annotations

import re

import numpy as np
import pytest
from jaxtyping import Float

from pdml.errors import InvalidInputError
from pdml.evaluation.colours import (
    NOT_MEASURED,
    UNLABELLED,
    class_colours,
    lightness_and_hue,
    rgb,
)

# Machado, Oliveira and Fernandes 2009, full severity, on linear RGB
PROTANOPIA = np.array(
    [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ]
)
DEUTERANOPIA = np.array(
    [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ]
)


def closest_pair(colours: Float[np.ndarray, "n rgb"]) -> float:
    lab = lightness_and_hue(colours)
    distance = np.linalg.norm(lab[:, None] - lab[None], axis=2)
    return float(distance[np.triu_indices(len(lab), k=1)].min())


def as_seen(
    colours: Float[np.ndarray, "n rgb"], matrix: Float[np.ndarray, "rgb rgb"]
) -> Float[np.ndarray, "n rgb"]:
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    seen = np.clip(linear @ matrix.T, 1e-9, 1)
    light: Float[np.ndarray, "n rgb"] = 1.055 * seen ** (1 / 2.4) - 0.055
    return np.where(seen <= 0.0031308, 12.92 * seen, light)


@pytest.mark.parametrize("background", [UNLABELLED, NOT_MEASURED])
@pytest.mark.parametrize("matrix", [np.eye(3), PROTANOPIA, DEUTERANOPIA])
def test_ten_colours_stay_apart_and_off_the_background_without_red_or_green(
    matrix: Float[np.ndarray, "rgb rgb"], background: str
) -> None:
    assert closest_pair(as_seen(rgb([*class_colours(10), background]), matrix)) > 25


@pytest.mark.parametrize("background", [UNLABELLED, NOT_MEASURED])
def test_twenty_colours_stay_apart(background: str) -> None:
    assert closest_pair(rgb([*class_colours(20), background])) > 25


def test_more_classes_keep_the_colours_of_the_first() -> None:
    assert class_colours(30)[:16] == class_colours(16)
    assert len(set(class_colours(200))) == 200
    assert all(re.fullmatch("#[0-9a-f]{6}", colour) for colour in class_colours(200))


def test_customary_colours_come_first() -> None:
    assert class_colours(2, ["#010203", "#040506"]) == ("#010203", "#040506")


def test_too_few_customary_colours_are_not_mixed_with_others() -> None:
    assert class_colours(3, ["#010203"]) == class_colours(3)


def test_more_classes_than_can_be_told_apart_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="at most 256 classes, got 5000"):
        class_colours(5000)


def test_colour_codes_become_numbers() -> None:
    np.testing.assert_allclose(rgb(["#ff8000"]), [[1, 128 / 255, 0]])


def test_cielab_of_white_black_and_red() -> None:
    lab = lightness_and_hue(np.array([[1.0, 1, 1], [0, 0, 0], [1, 0, 0]]))
    # published values for sRGB and D65
    expected = np.array([[100.0, 0.0, 0.0], [0.0, 0.0, 0.0], [53.24, 80.09, 67.20]])
    np.testing.assert_allclose(lab, expected, atol=0.02)
