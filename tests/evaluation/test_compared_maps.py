"""Maps of several methods with one legend."""

from __future__ import annotations

import numpy as np
import pytest

from pdml.errors import InvalidInputError
from pdml.evaluation.compared_maps import compared_maps_picture
from pdml.scenes.labels import LabelMap
from pdml.scenes.scene import Scene

CODES = np.array([[1, 0, 2], [2, 1, 0]], dtype=np.int32)
LABELS = LabelMap(CODES, ("meadow", "forest"), ("#ff0000", "#0000ff"))


def scene() -> Scene:
    return Scene.from_array(np.random.default_rng(0).random((2, 3, 5)), name="small")


def test_all_maps_share_one_legend_and_show_their_classes() -> None:
    maps = {"SSRN": np.array([[1, 1, 2], [2, 1, 1]]), "PDML": np.array([[0, 1, 2], [2, 1, 1]])}
    figure = compared_maps_picture(scene(), LABELS, maps)
    titles = [axes.get_title() for axes in figure.axes]
    assert titles == ["false colour", "ground truth", "SSRN", "PDML"]
    assert len(figure.legends) == 1
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == ["meadow", "forest", "unlabelled", "not measured"]
    shown = np.asarray(figure.axes[2].images[0].get_array())
    red, blue = [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]
    assert shown.tolist() == [[red, red, blue], [blue, red, red]]


def test_a_long_title_is_smaller_and_ends_before_its_neighbour() -> None:
    titles = ["SSRN", "SSRN as released, on a protocol of its own, the second seed of three"]
    figure = compared_maps_picture(scene(), LABELS, dict.fromkeys(titles, CODES))
    short, long = (axes.title for axes in figure.axes[2:4])
    assert float(long.get_fontsize()) < float(short.get_fontsize())
    figure.draw_without_rendering()
    assert short.get_window_extent().x1 < long.get_window_extent().x0
    assert long.get_window_extent().x1 < figure.bbox.x1


def test_a_map_of_another_scene_is_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"scene is 2 x 3 pixels, the map 'SSRN' is 3 x 2"):
        compared_maps_picture(scene(), LABELS, {"SSRN": CODES.T})
