"""Pictures of scenes: every pixel is drawn, crisply, in its own colour, and nothing is covered."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest
from jaxtyping import UInt8
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from PIL import Image

from pdml.errors import InvalidInputError
from pdml.evaluation import maps
from pdml.evaluation.colours import class_colours
from pdml.evaluation.draw import MOST_PIXELS, draw_panels
from pdml.evaluation.panel import Panel
from pdml.evaluation.picture import picture_bytes
from pdml.inference.class_map import ClassMap
from pdml.scenes.labels import LabelMap
from pdml.scenes.scene import Scene


def drawn(figure: Figure) -> UInt8[np.ndarray, "row col rgba"]:
    with Image.open(BytesIO(picture_bytes(figure))) as image:
        return np.array(image.convert("RGBA"))


def pixels_of(picture: UInt8[np.ndarray, "row col rgba"], colour: str) -> int:
    code = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    return int((picture[..., :3] == code).all(axis=2).sum())


def texts(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()] if figure.legends else []


@pytest.mark.parametrize("shape", [(145, 145), (61, 34), (35, 190), (150, 25)])
def test_every_scene_pixel_becomes_a_whole_square(shape: tuple[int, int]) -> None:
    codes = np.random.default_rng(0).integers(0, 4, shape)
    labels = LabelMap.from_array(codes)
    figure = maps.ground_truth_picture(labels)
    picture = drawn(without_legend(figure))
    scale = round(figure.axes[0].get_window_extent().width / shape[1])
    for colour, count in zip(class_colours(3), labels.counts, strict=True):
        assert pixels_of(picture, colour) == count * scale**2


def without_legend(figure: Figure) -> Figure:
    for legend in list(figure.legends):
        legend.remove()
    return figure


@pytest.mark.parametrize("shape", [(145, 145), (610, 340), (349, 1905), (1476, 256), (9, 9)])
@pytest.mark.parametrize("n_classes", [2, 16])
def test_the_overview_has_one_legend_that_covers_no_image_and_is_not_cut(
    shape: tuple[int, int], n_classes: int
) -> None:
    names = [f"Buildings and other things {number}" for number in range(n_classes)]
    codes = np.arange(shape[0] * shape[1]).reshape(shape) % (n_classes + 1)
    labels = LabelMap.from_array(codes, class_names=names)
    probability = np.full((*shape, n_classes), 1 / n_classes, np.float32)
    class_map = ClassMap(probability, None, np.ones(shape, bool), tuple(names))
    scene = Scene.from_array(np.ones((*shape, 1), np.float32))
    figure = maps.overview_picture(scene, class_map, labels=labels)
    figure.draw_without_rendering()
    (legend,) = figure.legends
    box = legend.get_window_extent()
    assert box.x0 >= 0
    assert box.y0 >= 0
    assert box.x1 <= figure.bbox.width
    assert box.y1 <= figure.bbox.height
    for axes in figure.axes:
        taken = axes.get_tightbbox()
        assert taken is not None
        assert not box.overlaps(taken)
    assert len(figure.axes) == 5  # four images and one colour bar


def test_wide_scenes_have_the_legend_below_and_others_beside() -> None:
    def legend_is_below(shape: tuple[int, int]) -> bool:
        codes = np.zeros(shape, int)
        codes[0, 0] = 1
        figure = maps.ground_truth_picture(LabelMap.from_array(codes))
        legend: Legend = figure.legends[0]
        return bool(legend.get_window_extent().y1 < figure.axes[0].get_window_extent().y0)

    assert legend_is_below((349, 1905))
    assert not legend_is_below((145, 145))
    assert not legend_is_below((610, 340))


def test_the_legend_names_every_class_and_the_kinds_of_pixels_without_one(
    scene: Scene, labels: LabelMap, class_map: ClassMap
) -> None:
    names = ["corn", "soy", "woods"]
    assert texts(maps.ground_truth_picture(labels)) == [*names, "unlabelled"]
    assert texts(maps.class_map_picture(class_map)) == [*names, "not measured"]
    overview = maps.overview_picture(scene, class_map, labels=labels)
    assert texts(overview) == [*names, "unlabelled", "not measured"]


def test_the_map_shows_each_pixel_in_the_colour_of_its_class(class_map: ClassMap) -> None:
    own = replace(class_map, colours=("#102030", "#405060", "#708090"))
    picture = drawn(without_legend(maps.class_map_picture(own)))
    counts = np.bincount(own.classes.ravel() + 1, minlength=4)[1:]
    scale = 1100 // 20
    for colour, count in zip(own.colours, counts, strict=True):
        assert pixels_of(picture, colour) == count * scale**2


def test_labels_and_map_share_the_colours_of_the_labels(
    scene: Scene, labels: LabelMap, class_map: ClassMap
) -> None:
    colours = ("#102030", "#405060", "#708090")
    own = replace(labels, colours=colours)
    figure = maps.overview_picture(scene, class_map, labels=own)
    images = [axes.get_images()[0].get_array() for axes in figure.axes[:4]]
    for image in images[1:3]:
        assert image is not None
        found = {tuple(np.round(255 * pixel)) for pixel in np.reshape(image, (-1, 3))}
        assert (0x10, 0x20, 0x30) in found
        assert (0x70, 0x80, 0x90) in found


def test_numbers_are_hidden_where_nothing_was_measured(class_map: ClassMap) -> None:
    for figure, values in [
        (maps.probability_picture(class_map), class_map.top_probability),
        (maps.entropy_picture(class_map), class_map.entropy),
        (maps.variance_picture(class_map), class_map.embedding_variance),
    ]:
        shown = figure.axes[0].get_images()[0].get_array()
        assert isinstance(shown, np.ma.MaskedArray)
        np.testing.assert_array_equal(np.ma.getmaskarray(shown), ~class_map.measured)
        assert values is not None
        np.testing.assert_allclose(shown.compressed(), values[class_map.measured])


def test_colour_bars_say_what_the_numbers_are(class_map: ClassMap) -> None:
    def label(figure: Figure) -> str:
        return figure.axes[1].get_xlabel().replace("\n", " ")

    assert label(maps.probability_picture(class_map)) == "probability of the shown class"
    assert label(maps.entropy_picture(class_map)) == "entropy, 0 sure \N{EN DASH} 1 undecided"
    assert label(maps.variance_picture(class_map)) == "mean variance of the embedding"


def test_probability_and_entropy_always_span_zero_to_one(class_map: ClassMap) -> None:
    for figure in (maps.probability_picture(class_map), maps.entropy_picture(class_map)):
        assert figure.axes[0].get_images()[0].get_clim() == (0, 1)


def test_an_equal_variance_everywhere_can_be_drawn(class_map: ClassMap) -> None:
    flat = replace(class_map, embedding_variance=np.full(class_map.shape, 0.5))
    low, high = maps.variance_picture(flat).axes[0].get_images()[0].get_clim()
    assert low == 0.5
    assert high > low


def test_an_overview_without_labels_has_three_images(scene: Scene, class_map: ClassMap) -> None:
    assert len(maps.overview_picture(scene, class_map).axes) == 4


def test_a_scene_larger_than_a_picture_is_shown_by_every_nth_pixel() -> None:
    image = np.zeros((10, 3 * MOST_PIXELS, 3), np.float32)
    shown = draw_panels([Panel("large", image)]).axes[0].get_images()[0].get_array()
    assert shown is not None
    assert shown.shape == (4, MOST_PIXELS, 3)


def test_a_point_embedding_has_no_variance_picture(class_map: ClassMap) -> None:
    with pytest.raises(InvalidInputError, match="got a point embedding; show the entropy"):
        maps.variance_picture(replace(class_map, embedding_variance=None))


def test_a_map_of_another_scene_is_refused(class_map: ClassMap) -> None:
    other = Scene.from_array(np.zeros((5, 6, 3), np.float32))
    with pytest.raises(InvalidInputError, match="scene is 5 x 6 pixels, the map is 12 x 20"):
        maps.overview_picture(other, class_map)


def test_labels_of_other_classes_are_refused(
    scene: Scene, labels: LabelMap, class_map: ClassMap
) -> None:
    other = replace(labels, class_names=("corn", "woods", "soy"))
    with pytest.raises(InvalidInputError, match="labels have corn, woods, soy; the map has corn,"):
        maps.overview_picture(scene, class_map, labels=other)


def test_a_small_scene_is_enlarged_by_a_whole_number() -> None:
    codes = np.ones((145, 145), int)
    figure = maps.ground_truth_picture(LabelMap.from_array(codes))
    assert figure.axes[0].get_window_extent().width == pytest.approx(145 * 7, abs=0.1)
