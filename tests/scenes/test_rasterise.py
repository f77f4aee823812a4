"""Polygons and points become labels: which pixels, which classes, what is said of the rest."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import shapely

from pdml.errors import InvalidInputError, UnknownNameError
from pdml.scenes.labels import LabelMap
from pdml.scenes.open import open_labels
from pdml.scenes.scene import Scene
from tests.scenes.geodata import TEN_METRES, UTM, field, place, scene_on_earth, write_features


@pytest.fixture
def scene() -> Scene:
    return scene_on_earth(30, 40)


def drawn(
    tmp_path: Path, scene: Scene, geometries: list[shapely.Geometry], crops: list[object]
) -> LabelMap:
    path = write_features(tmp_path / "fields.gpkg", geometries, {"crop": crops})
    return open_labels(path, scene=scene)


def triangle(seed: int) -> shapely.Polygon:
    corners = np.random.default_rng(seed).uniform((-3, -3), (33, 43), (3, 2))
    return shapely.Polygon([place(row, col) for row, col in corners])


@pytest.mark.parametrize("seed", range(4))
def test_a_pixel_is_labelled_if_its_centre_lies_in_the_polygon(
    tmp_path: Path, scene: Scene, seed: int
) -> None:
    polygon = triangle(seed)
    labels = drawn(tmp_path, scene, [polygon], ["rye"])
    expected = [
        [shapely.contains_xy(polygon, *place(row + 0.5, col + 0.5)) for col in range(40)]
        for row in range(30)
    ]
    np.testing.assert_array_equal(labels.codes > 0, expected)


@pytest.mark.parametrize("crs", ["EPSG:4326", "EPSG:3035"])
@pytest.mark.parametrize("suffix", [".gpkg", ".shp", ".geojson", ".fgb"])
def test_polygons_in_another_crs_land_where_they_were_drawn(
    tmp_path: Path, scene: Scene, crs: str, suffix: str
) -> None:
    if suffix == ".geojson" and crs != "EPSG:4326":
        pytest.skip("GeoJSON is always in longitude and latitude")
    fields = [field(2.2, 3.2, 8.6, 11.6), field(15.2, 20.2, 10.6, 9.6)]
    path = write_features(tmp_path / f"f{suffix}", fields, {"crop": ["rye", "oats"]}, crs=crs)
    labels = open_labels(path, scene=scene)
    expected = np.zeros((30, 40))
    expected[2:11, 3:15] = 2  # rye comes after oats
    expected[15:26, 20:30] = 1
    np.testing.assert_array_equal(labels.codes, expected)
    assert labels.class_names == ("oats", "rye")
    assert labels.groups is not None
    assert {labels.groups[5, 5], labels.groups[20, 25]} == {1, 2}  # .fgb sorts by place
    assert labels.notes == ()


def test_a_turned_scene_is_labelled_in_its_own_rows_and_columns(tmp_path: Path) -> None:
    turned = scene_on_earth(20, 20, transform=(6, 8, place(0, 0)[0], 8, -6, place(0, 0)[1]))
    assert turned.georeference is not None
    corners = [turned.georeference.xy(*at) for at in ((3, 5), (3, 9), (10, 9), (10, 5))]
    labels = drawn(tmp_path, turned, [shapely.Polygon(corners)], ["rye"])
    assert np.argwhere(labels.codes).min(axis=0).tolist() == [3, 5]
    assert np.argwhere(labels.codes).max(axis=0).tolist() == [9, 8]
    assert labels.counts.tolist() == [28]


def test_a_point_labels_the_pixel_that_it_lies_in(tmp_path: Path, scene: Scene) -> None:
    points = [shapely.Point(place(3.9, 7.1)), shapely.Point(place(29.99, 39.99))]
    several = shapely.MultiPoint([place(10.5, 11.5), place(12.5, 13.5), place(99, 99)])
    labels = drawn(tmp_path, scene, [*points, several], ["a", "b", "b"])
    assert labels.groups is not None
    found = {tuple(at): int(labels.groups[tuple(at)]) for at in np.argwhere(labels.codes).tolist()}
    assert found == {(3, 7): 1, (29, 39): 2, (10, 11): 3, (12, 13): 3}
    assert labels.notes == ("Of 3 points 1 lies partly outside of the scene.",)


def test_whole_numbers_are_sorted_as_numbers(tmp_path: Path, scene: Scene) -> None:
    fields = [field(0, 0, 2, 2), field(4, 4, 2, 2), field(8, 8, 2, 2)]
    labels = drawn(tmp_path, scene, fields, [10, 9, 100])
    assert labels.class_names == ("9", "10", "100")


def test_whole_numbers_with_gaps_and_text_with_spaces_are_read(
    tmp_path: Path, scene: Scene
) -> None:
    fields = [field(0, 0, 2, 2), field(4, 4, 2, 2), field(8, 8, 2, 2)]
    numbers = write_features(tmp_path / "n.gpkg", fields, {"crop": [3.0, np.nan, 1.0]})
    labels = open_labels(numbers, scene=scene, class_field="crop")
    assert labels.class_names == ("1", "3")
    assert labels.notes == (
        "1 of 3 features have no value in 'crop' or are neither polygon nor point, and are left "
        "out.",
    )
    texts = write_features(tmp_path / "t.gpkg", fields, {"crop": ["rye ", "  ", "rye"]})
    assert open_labels(texts, scene=scene).class_names == ("rye",)


def test_pixels_that_two_classes_claim_stay_unlabelled_and_are_told(
    tmp_path: Path, scene: Scene
) -> None:
    fields = [field(0, 0, 10, 10), field(5, 5, 10, 10), field(0, 9, 1, 3)]
    labels = drawn(tmp_path, scene, fields, ["maize", "rye", "oats"])
    assert not labels.codes[5:10, 5:10].any()
    assert labels.groups is not None
    assert not labels.groups[5:10, 5:10].any()
    assert labels.counts.tolist() == [100 - 25 - 1, 2, 100 - 25]
    assert labels.notes == (
        "26 pixels lie in features of different classes (maize and rye 25, maize and oats 1) and "
        "stay unlabelled.",
    )


def test_overlapping_polygons_of_one_class_leave_the_inner_one_its_pixels(
    tmp_path: Path, scene: Scene
) -> None:
    fields = [field(2, 2, 2, 2), field(0, 0, 10, 10), field(0, 0, 10, 10)]
    labels = drawn(tmp_path, scene, fields, ["rye"] * 3)
    assert labels.groups is not None
    assert np.bincount(labels.groups.ravel())[1:].tolist() == [4, 0, 96]
    assert labels.notes == (
        "1 of 3 polygons in the scene label nothing, because no pixel centre lies in them that is "
        "not in another one of their class.",
    )


def test_polygons_outside_small_and_invalid_ones_are_counted(tmp_path: Path, scene: Scene) -> None:
    bow_tie = shapely.Polygon([place(10, 10), place(20, 20), place(20, 10), place(10, 20)])
    fields = [bow_tie, field(28, 0, 9, 4), field(99, 99, 5, 5), field(2.6, 2.6, 0.3, 0.3)]
    labels = drawn(tmp_path, scene, fields, ["rye", "rye", "rye", "oats"])
    assert labels.class_names == ("rye",)
    assert 40 <= np.count_nonzero(labels.codes[10:20, 10:20]) <= 50  # both halves of the tie
    assert labels.notes == (
        "1 invalid polygons (they cross themselves) were mended.",
        "Of 4 polygons 1 lies outside, 1 lies partly outside of the scene.",
        "1 of 3 polygons in the scene label nothing, because no pixel centre lies in them that is "
        "not in another one of their class.",
        "Classes without a labelled pixel are left out: oats.",
    )


def test_lines_and_features_without_geometry_are_left_out(tmp_path: Path, scene: Scene) -> None:
    line = shapely.LineString([place(0, 0), place(5, 5)])
    labels = drawn(tmp_path, scene, [line, None, field(0, 0, 2, 2)], ["a", "b", "b"])
    assert labels.class_names == ("b",)
    assert labels.notes[0].startswith("2 of 3 features have no value in 'crop' or are neither")


def test_a_file_without_a_crs_is_taken_to_be_in_that_of_the_scene(
    tmp_path: Path, scene: Scene
) -> None:
    path = write_features(tmp_path / "f.shp", [field(0, 0, 2, 2)], {"crop": ["rye"]}, crs=None)
    labels = open_labels(path, scene=scene)
    assert labels.counts.tolist() == [4]
    assert labels.notes == ("f.shp names no CRS; it is taken to be that of the scene, EPSG:32633.",)


def test_settled_names_keep_their_order_and_are_the_only_ones(tmp_path: Path, scene: Scene) -> None:
    path = write_features(tmp_path / "f.gpkg", [field(0, 0, 2, 2)], {"crop": ["rye"]})
    labels = open_labels(path, scene=scene, class_names=["wheat", "rye"])
    assert labels.counts.tolist() == [0, 4]
    with pytest.raises(UnknownNameError, match=r"unknown class in f.gpkg 'rye'; known: oats"):
        open_labels(path, scene=scene, class_names=["oats"])


def test_a_scene_without_crs_or_place_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = write_features(tmp_path / "f.gpkg", [field(0, 0, 2, 2)], {"crop": ["rye"]})
    with pytest.raises(
        InvalidInputError,
        match=r"need a scene with a CRS, 'land' has none; .* --crs EPSG:32633 on the command line",
    ):
        open_labels(path, scene=scene_on_earth(4, 4, crs=""))
    with pytest.raises(InvalidInputError, match=r"'flat' does not; use a file with a georeference"):
        open_labels(path, scene=Scene.from_array(np.ones((4, 4, 2)), name="flat"))
    with pytest.raises(InvalidInputError, match=r"must be placed on a scene, .* scene=scene\)"):
        open_labels(path)


def test_polygons_that_miss_the_scene_are_refused_with_both_extents(
    tmp_path: Path, scene: Scene
) -> None:
    fields = [field(100, 100, 10, 10), field(200, 100, 10, 20)]
    with pytest.raises(InvalidInputError) as caught:
        drawn(tmp_path, scene, fields, ["a", "b"])
    assert str(caught.value) == (
        "polygons must lie in the scene, but all of fields.gpkg miss it: in EPSG:32633 they are at "
        "x 501000 to 501200, y 4997900 to 4999000, the scene is at x 500000 to 500400, y 4999700 "
        "to 5000000; check that both belong together and that each has its right CRS"
    )


def test_places_that_the_scenes_crs_does_not_reach_count_as_outside(
    tmp_path: Path, scene: Scene
) -> None:
    here, nowhere = shapely.Point(15.0005, 45.1525), shapely.Point(1e9, 1e9)
    path = write_features(
        tmp_path / "p.gpkg", [here, nowhere], {"crop": ["a", "a"]}, crs="EPSG:4326",
        drawn_in="EPSG:4326",
    )  # fmt: skip
    labels = open_labels(path, scene=scene, class_field="crop")
    assert labels.counts.tolist() == [1]
    assert "Of 2 points 1 lies outside of the scene." in labels.notes[0]
    path = write_features(
        tmp_path / "q.gpkg", [nowhere], {"crop": ["a"]}, crs="EPSG:4326", drawn_in="EPSG:4326"
    )
    with pytest.raises(InvalidInputError, match="they are at beyond the reach of that CRS"):
        open_labels(path, scene=scene)


def test_polygons_without_any_pixel_centre_are_refused(tmp_path: Path, scene: Scene) -> None:
    with pytest.raises(
        InvalidInputError,
        match=r"none of the 1 polygons of fields.gpkg in the scene does: .* A pixel is 10 x 10 "
        "metre; draw larger ones, or points",
    ):
        drawn(tmp_path, scene, [field(2.6, 2.6, 0.3, 0.3)], ["rye"])


def test_lines_alone_are_refused(tmp_path: Path, scene: Scene) -> None:
    line = shapely.LineString([place(0, 0), place(5, 5)])
    with pytest.raises(
        InvalidInputError, match=r"must hold polygons or points with a value in 'crop', got 1"
    ):
        drawn(tmp_path, scene, [line], ["rye"])


def test_fields_of_other_types_are_refused(tmp_path: Path, scene: Scene) -> None:
    path = write_features(
        tmp_path / "f.gpkg", [field(0, 0, 2, 2)], {"yield": [1.5], "note": [None]}
    )
    with pytest.raises(
        InvalidInputError, match=r"the field 'yield' of f.gpkg must hold text or whole numbers, got"
    ):
        open_labels(path, scene=scene, class_field="yield")


def test_labels_on_pixels_that_were_not_measured_are_left_out(tmp_path: Path) -> None:
    cube = np.ones((30, 40, 2))
    cube[:15] = -1
    scene = scene_on_earth(30, 40, cube=cube, nodata=-1)
    labels = drawn(tmp_path, scene, [field(10, 0, 10, 4), field(0, 0, 4, 4)], ["rye", "oats"])
    assert labels.counts.tolist() == [20]
    assert labels.groups is not None
    assert not labels.groups[:15].any()
    assert labels.notes == (
        "36 of 56 labelled pixels lie where the scene holds its nodata value -1 and are left out.",
        "Classes without a labelled pixel are left out: oats.",
    )
    with pytest.raises(
        InvalidInputError,
        match=r"labels must lie where 'land' was measured, but all 16 labelled pixels hold its "
        "nodata value -1; check that both belong together",
    ):
        drawn(tmp_path, scene, [field(0, 0, 4, 4)], ["rye"])


def test_the_transform_of_these_tests_is_that_of_the_scene() -> None:
    scene = scene_on_earth(3, 4)
    assert scene.georeference is not None
    assert scene.georeference.transform == TEN_METRES
    assert scene.georeference.xy(2, 3) == place(2, 3)
    assert UTM in ("EPSG:32633",)
