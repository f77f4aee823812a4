"""A crop of a scene is that part of it, and is read like any scene."""

from __future__ import annotations

import numpy as np

from pdml.scenes.crop import crop
from pdml.scenes.scene import Scene
from pdml.scenes.window import Window

CUBE = np.arange(6 * 7 * 2, dtype=np.float32).reshape(6, 7, 2)


def test_a_crop_is_the_same_part_of_the_array() -> None:
    part = crop(Scene.from_array(CUBE, name="field"), Window(1, 5, 2, 7))
    assert part.shape == (4, 5, 2)
    assert part.name == "field"
    np.testing.assert_array_equal(part.read(), CUBE[1:5, 2:7])


def test_a_window_of_a_crop_is_counted_from_its_corner() -> None:
    part = crop(Scene.from_array(CUBE), Window(1, 5, 2, 7))
    np.testing.assert_array_equal(part.read(Window(1, 3, 0, 2)), CUBE[2:4, 2:4])


def test_a_crop_of_a_crop_is_a_crop() -> None:
    part = crop(crop(Scene.from_array(CUBE), Window(1, 5, 2, 7)), Window(1, 2, 1, 3))
    np.testing.assert_array_equal(part.read(), CUBE[2:3, 3:5])
