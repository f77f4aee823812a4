"""Label rasters: names, colours, nodata, and other grids."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pdml.errors import InvalidInputError, UnknownNameError, UnreadableFileError
from pdml.scenes.open import open_labels
from pdml.scenes.scene import Scene
from tests.scenes.geodata import CORNER, scene_on_earth, write_raster

CODES = np.array([[1, 2, 0, 5], [1, 2, 5, 5], [0, 0, 1, 255]], dtype=np.uint8)


def test_names_and_colours_of_the_file_are_those_of_the_classes(tmp_path: Path) -> None:
    path = write_raster(
        tmp_path / "l.tif",
        CODES,
        nodata=255,
        names=["nothing", "rye", "oats", "", "peas", "rye"],
        colours={1: (255, 0, 0), 2: (0, 128, 0), 5: (1, 2, 3)},
    )
    labels = open_labels(path, scene=scene_on_earth(3, 4))
    # Only the classes that are there are numbered; two that share a name are told apart.
    assert labels.class_names == ("rye (1)", "oats", "rye (5)")
    assert labels.colours == ("#ff0000", "#008000", "#010203")
    np.testing.assert_array_equal(labels.codes, [[1, 2, 0, 3], [1, 2, 3, 3], [0, 0, 1, 0]])
    assert labels.groups is None
    assert labels.notes == (
        "0 means unlabelled, also in l.tif, whose nodata value is 255: 3 pixels; if 0 is a class "
        "there, number the classes from 1.",
    )


def test_without_names_the_codes_are_the_names(tmp_path: Path) -> None:
    path = write_raster(tmp_path / "l.tif", CODES % 255, transform=None, crs=None)
    labels = open_labels(path)
    assert labels.class_names == ("class 1", "class 2", "class 5")
    assert labels.colours == ()
    assert labels.notes == ()


def test_nan_is_unlabelled_where_it_is_the_nodata_value(tmp_path: Path) -> None:
    codes = np.array([[1, np.nan], [2, 2]], dtype=np.float32)
    path = write_raster(tmp_path / "l.tif", codes, nodata=np.nan)
    assert open_labels(path).codes.tolist() == [[1, 0], [2, 2]]


def test_settled_names_are_found_by_name_or_by_code(tmp_path: Path) -> None:
    named = write_raster(tmp_path / "n.tif", CODES % 255, names=["", "a", "b", "", "", "c"])
    labels = open_labels(named, class_names=["c", "b", "a"])
    assert labels.counts.tolist() == [3, 2, 3]
    assert labels.codes[0].tolist() == [3, 2, 0, 1]
    with pytest.raises(UnknownNameError, match=r"unknown class in the labels 'c'; known: a, b"):
        open_labels(named, class_names=["a", "b"])
    plain = write_raster(tmp_path / "p.tif", CODES % 255)
    labels = open_labels(plain, class_names=["v", "w", "x", "y", "z"])
    np.testing.assert_array_equal(labels.codes, CODES % 255)
    # Names that are codes are matched as such: the test part of a split may lack some.
    labels = open_labels(plain, class_names=["class 1", "class 2", "class 3", "class 5"])
    assert labels.counts.tolist() == [3, 2, 0, 3]


def test_a_coarser_scene_takes_the_label_at_each_centre(tmp_path: Path) -> None:
    codes = np.random.default_rng(0).integers(0, 4, size=(40, 60)).astype(np.uint8)
    path = write_raster(tmp_path / "l.tif", codes)
    coarse = scene_on_earth(8, 9, transform=(31, 0, CORNER[0] + 47, 0, -29, CORNER[1] - 63))
    labels = open_labels(path, scene=coarse)
    assert coarse.georeference is not None
    taken = set()
    for row in range(8):
        for col in range(9):
            x, y = coarse.georeference.xy(row + 0.5, col + 0.5)
            there = int((CORNER[1] - y) // 10), int((x - CORNER[0]) // 10)
            assert labels.codes[row, col] == codes[there]
            taken.add(there)
    n_used = sum(codes[there] > 0 for there in taken)
    # The window that is looked at: the scene's bounds in whole pixels, and one more on each side.
    n_before = np.count_nonzero(codes[5:31, 3:34])
    assert labels.notes == (
        "l.tif lies on another grid (10 x 10 metre, EPSG:32633; the scene has 31 x 29 metre, "
        f"EPSG:32633): nearest labels were taken, {n_used} of {n_before} labelled pixels around "
        f"the scene were used ({100 * (1 - n_used / n_before):.1f} % lost), "
        f"{np.count_nonzero(labels.codes)} pixels of the scene are labelled.",
    )


def test_a_raster_in_another_crs_lands_on_the_same_ground(tmp_path: Path) -> None:
    # One arc second is about 22 x 31 m here; the boundary between the classes is a meridian.
    codes = np.ones((40, 40), dtype=np.uint8)
    codes[:, 20:] = 2
    second = 1 / 3600
    path = write_raster(
        tmp_path / "l.tif",
        codes,
        transform=(second, 0, 15 - 10 * second, 0, -second, 45.16),
        crs="EPSG:4326",
    )
    scene = scene_on_earth(20, 40)
    labels = open_labels(path, scene=scene)
    # The meridian of 15° + 10" lies 218.5 m east of the central one, x = 500000.
    assert (labels.codes == np.where(np.arange(40) * 10 + 5 < 218.5, 1, 2)).all()
    assert labels.notes[0].startswith(
        "l.tif lies on another grid (0.0002778 x 0.0002778 degree, EPSG:4326; the scene has "
        "10 x 10 metre, EPSG:32633): nearest labels were taken, "
    )


def test_a_grid_that_differs_by_rounding_is_the_same(tmp_path: Path) -> None:
    transform = (10 + 1e-9, 0, CORNER[0] + 0.01, 0, -10, CORNER[1])
    path = write_raster(tmp_path / "l.tif", CODES % 255, transform=transform)
    labels = open_labels(path, scene=scene_on_earth(3, 4))
    assert labels.notes == ()
    assert labels.counts.tolist() == [3, 2, 3]


def test_a_raster_that_does_not_say_where_it_is_must_have_the_scenes_size(tmp_path: Path) -> None:
    path = write_raster(tmp_path / "l.tif", CODES % 255, transform=None, crs=None)
    assert open_labels(path, scene=scene_on_earth(3, 4)).shape == (3, 4)
    with pytest.raises(InvalidInputError, match=r"the scene is 4 x 3 pixels, the labels are 3 x 4"):
        open_labels(path, scene=scene_on_earth(4, 3))


def test_rasters_without_a_crs_lie_in_one_plane(tmp_path: Path) -> None:
    path = write_raster(tmp_path / "l.tif", CODES % 255, crs=None)
    shifted = (10.0, 0.0, CORNER[0] + 10, 0.0, -10.0, CORNER[1])
    labels = open_labels(path, scene=scene_on_earth(3, 3, crs="", transform=shifted))
    np.testing.assert_array_equal(labels.codes > 0, (CODES % 255)[:, 1:] > 0)


def test_a_raster_in_a_crs_on_a_scene_without_says_how_to_give_one(tmp_path: Path) -> None:
    path = write_raster(tmp_path / "l.tif", CODES % 255)
    shifted = (10.0, 0.0, CORNER[0] + 10, 0.0, -10.0, CORNER[1])
    with pytest.raises(
        InvalidInputError,
        match=r"'land' has none while l.tif is in EPSG:32633; say which one .* --crs EPSG:32633",
    ):
        open_labels(path, scene=scene_on_earth(3, 3, crs="", transform=shifted))


def test_a_raster_that_misses_the_scene_is_refused_with_both_extents(tmp_path: Path) -> None:
    path = write_raster(tmp_path / "l.tif", CODES % 255)
    far = (10.0, 0.0, CORNER[0] + 9000, 0.0, -10.0, CORNER[1])
    with pytest.raises(
        InvalidInputError,
        match=r"labels must lie on the scene, but l.tif misses it: in EPSG:32633 the labels are at "
        r"x 500000 to 500040, y 4999970 to 5000000, the scene is at x 509000 to 509030, "
        r"y 4999970 to 5000000; check that both",
    ):
        open_labels(path, scene=scene_on_earth(3, 3, transform=far))


def test_a_raster_that_marks_nothing_is_refused(tmp_path: Path) -> None:
    path = write_raster(tmp_path / "l.tif", np.full((3, 4), 7, dtype=np.uint8), nodata=7)
    with pytest.raises(InvalidInputError, match=r"must mark at least one pixel of the scene"):
        open_labels(path, scene=scene_on_earth(3, 4))


def test_a_raster_of_measurements_is_refused(tmp_path: Path) -> None:
    path = write_raster(tmp_path / "l.tif", np.full((3, 4), 0.5, dtype=np.float32))
    with pytest.raises(InvalidInputError, match=r"labels must be whole numbers from 0, got 0.5"):
        open_labels(path)


def test_a_truncated_raster_is_refused(tmp_path: Path) -> None:
    path = write_raster(tmp_path / "l.tif", np.ones((300, 400), dtype=np.uint8))
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(UnreadableFileError, match=r"must be a complete .tif file, but reading it"):
        open_labels(path)


def test_labels_in_an_array_are_left_out_where_nothing_was_measured(tmp_path: Path) -> None:
    cube = np.ones((2, 3, 2), dtype=np.float32)
    cube[0, 0] = np.nan
    scene = Scene.from_array(cube, name="a", nodata=np.nan)
    np.save(tmp_path / "l.npy", np.array([[1, 1, 0], [2, 2, 0]]))
    labels = open_labels(tmp_path / "l.npy", scene=scene)
    assert labels.codes.tolist() == [[0, 1, 0], [2, 2, 0]]
    assert labels.notes[0].startswith("1 of 4 labelled pixels lie where the scene holds its nodata")
