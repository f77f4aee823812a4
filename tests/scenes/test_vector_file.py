"""Which layer and which attribute of a file names the classes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pdml.errors import InvalidInputError, UnreadableFileError
from pdml.scenes.open import open_labels
from pdml.scenes.vector_file import read_features
from tests.scenes.geodata import field, scene_on_earth, write_features, write_raster

TWO = [field(0, 0, 2, 2), field(4, 4, 2, 2)]
THREE = [*TWO, field(8, 8, 2, 2)]


def test_the_only_text_or_whole_number_is_found(tmp_path: Path) -> None:
    path = write_features(tmp_path / "f.gpkg", TWO, {"area": [1.5, 2.5], "crop": ["a", "b"]})
    features = read_features(path)
    assert features.field == "crop"
    assert features.values.tolist() == ["a", "b"]
    assert len(features.geometries) == 2
    assert features.crs == "EPSG:32633"


def test_a_number_that_is_different_everywhere_is_no_class(tmp_path: Path) -> None:
    path = write_features(tmp_path / "f.gpkg", THREE, {"id": [7, 8, 9], "crop": ["a", "b", "a"]})
    assert read_features(path).field == "crop"


def test_several_fields_are_listed_to_choose_from(tmp_path: Path) -> None:
    fields: dict[str, list[object]] = {
        "crop": ["a", "b", "a"],
        "owner": ["x", "x", "y"],
        "area": [1.5, 2.5, 2.0],
    }
    path = write_features(tmp_path / "f.gpkg", THREE, fields)
    with pytest.raises(
        InvalidInputError,
        match=r"one field of text or whole numbers that names the classes, got 2 that could; its "
        r"fields are: crop, owner; choose one with --class-field NAME",
    ):
        read_features(path)
    assert read_features(path, class_field="owner").values.tolist() == ["x", "x", "y"]


def test_a_field_that_is_absent_lists_those_that_are_there(tmp_path: Path) -> None:
    path = write_features(tmp_path / "f.gpkg", TWO, {"crop": ["a", "b"], "area": [1.5, 2.5]})
    with pytest.raises(
        InvalidInputError, match=r"has no field 'corp'; its fields are: crop, area; name one of"
    ):
        read_features(path, class_field="corp")


def test_a_file_without_a_field_for_classes_is_refused(tmp_path: Path) -> None:
    path = write_features(tmp_path / "f.gpkg", TWO, {"area": [1.5, 2.5]})
    with pytest.raises(InvalidInputError, match=r"got 0 that could; its fields are: area; choose"):
        read_features(path)


def test_an_empty_field_is_refused(tmp_path: Path) -> None:
    path = write_features(tmp_path / "f.gpkg", TWO, {"crop": ["", " "]})
    with pytest.raises(InvalidInputError, match=r"the field 'crop' .* empty in all features"):
        open_labels(path, scene=scene_on_earth(9, 9))


def test_a_layer_is_asked_for_if_there_are_several(tmp_path: Path) -> None:
    path = tmp_path / "f.gpkg"
    write_features(path, TWO, {"crop": ["a", "b"]}, layer="spring")
    write_features(path, TWO, {"crop": ["c", "d"]}, layer="autumn", append=True)
    with pytest.raises(InvalidInputError, match=r"has 2 layers: spring, autumn; choose one with"):
        read_features(path)
    assert read_features(path, layer="autumn").values.tolist() == ["c", "d"]
    with pytest.raises(InvalidInputError, match=r"no layer 'summer'; its layers are: spring, aut"):
        read_features(path, layer="summer")


@pytest.mark.parametrize("suffix", [".gpkg", ".shp", ".geojson"])
def test_a_file_that_is_not_what_it_says_is_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"f{suffix}"
    path.write_bytes(b"no such thing" * 100)
    with pytest.raises(UnreadableFileError, match=f"must be a complete {suffix} file, but reading"):
        read_features(path)


def test_class_field_and_layer_go_with_drawn_labels_only(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.ones((3, 3)))
    raster = write_raster(tmp_path / "a.tif", np.ones((3, 3), dtype=np.uint8))
    for path in (tmp_path / "a.npy", raster):
        with pytest.raises(InvalidInputError, match=r"a class field and a layer belong to polygon"):
            open_labels(path, class_field="crop")
