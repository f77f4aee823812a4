"""Strips of a scene."""

from __future__ import annotations

import numpy as np
import pytest

from pdml.scenes.row_blocks import row_blocks
from pdml.scenes.scene import Scene


@pytest.mark.parametrize(("strip_bytes", "n_strips"), [(1, 7), (8 * 5 * 3 * 2, 4), (2**20, 1)])
def test_strips_cover_the_scene_once_in_order(strip_bytes: int, n_strips: int) -> None:
    cube = np.random.default_rng(0).random((7, 5, 3))
    scene = Scene.from_array(cube)
    strips = list(row_blocks(scene, strip_bytes=strip_bytes))
    assert len(strips) == n_strips
    np.testing.assert_array_equal(np.concatenate([scene.read(strip) for strip in strips]), cube)
