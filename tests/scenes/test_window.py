"""Windows."""

from __future__ import annotations

import numpy as np

from pdml.scenes.window import Window


def test_a_grown_window_is_cut_at_the_border_and_nowhere_else() -> None:
    assert Window(1, 3, 4, 6).grown(2, within=(10, 7)) == Window(0, 5, 2, 7)


def test_the_slices_of_a_window_give_an_array_of_its_shape() -> None:
    window = Window(2, 5, 1, 7)
    assert np.zeros((9, 9))[window.slices].shape == window.shape == (3, 6)
