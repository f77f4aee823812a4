"""Coordinate reference systems: what is typed, and what is said of them."""

from __future__ import annotations

import numpy as np
import pytest

from pdml.errors import InvalidInputError
from pdml.scenes.crs import crs_name, moved, parsed, pixel_size_text, same_crs, with_crs
from pdml.scenes.scene import Scene
from tests.scenes.geodata import scene_on_earth


def test_a_scene_is_given_the_crs_that_its_file_lacks() -> None:
    bare = scene_on_earth(3, 4, crs="")
    assert bare.georeference is not None
    assert crs_name(bare.georeference.crs) == "no CRS"
    placed = with_crs(bare, "EPSG:32633").georeference
    assert placed == scene_on_earth(3, 4).georeference
    assert placed is not None
    assert crs_name(placed.crs) == "EPSG:32633"


def test_a_scene_without_a_transform_cannot_be_placed_by_a_crs() -> None:
    with pytest.raises(InvalidInputError, match=r"does not say where they lie; leave out --crs"):
        with_crs(Scene.from_array(np.ones((2, 2, 2))), "EPSG:32633")


@pytest.mark.parametrize("text", ["EPSG:999999", "nonsense", ""])
def test_a_crs_that_nobody_knows_is_refused_quietly(
    text: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(InvalidInputError, match=rf"must be one that GDAL knows, got '{text}' \("):
        parsed(text)
    assert capfd.readouterr() == ("", "")


def test_systems_are_compared_by_what_they_mean() -> None:
    wkt = parsed("EPSG:32633").to_wkt()
    assert same_crs(wkt, "EPSG:32633")
    assert same_crs("", wkt)
    assert not same_crs(wkt, "EPSG:32632")


def test_a_system_of_ones_own_is_called_by_its_name() -> None:
    own = parsed("+proj=laea +lat_0=10 +lon_0=20 +ellps=GRS80 +units=m").to_wkt()
    assert own.split('"')[1] == crs_name(own)


def test_coordinates_are_moved_as_the_definition_says() -> None:
    # On the central meridian x is the false easting, at the equator y is 0.
    there = moved(np.array([[15.0, 0.0]]), "EPSG:4326", "EPSG:32633")
    np.testing.assert_allclose(there, [[500_000, 0]], atol=1e-6)
    with pytest.raises(ArithmeticError):
        moved(np.array([[1e9, 1e9]]), "EPSG:4326", "EPSG:32633")


def test_the_size_of_a_pixel_has_a_unit_where_there_is_one() -> None:
    sizes = [scene_on_earth(2, 2, crs=crs).georeference for crs in ("EPSG:32633", "EPSG:4326", "")]
    assert [pixel_size_text(one) for one in sizes if one] == [
        "10 x 10 metre", "10 x 10 degree", "10 x 10"
    ]  # fmt: skip
