"""Zarr: axes by name, and what xarray and rioxarray write beside a cube."""

from __future__ import annotations

import base64
import shutil
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

from pdml.errors import InvalidInputError
from pdml.scenes.open import open_labels, open_scene
from tests.scenes.geodata import TEN_METRES
from tests.scenes.zarrs import write_zarr_cube

CUBE = np.random.default_rng(0).integers(1, 99, (9, 8, 3)).astype(np.uint16)
CENTRES = np.array([450.0, 550.0, 1400.0])


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize(
    ("dimensions", "axes"),
    [
        (("y", "x", "band"), (0, 1, 2)),
        (("band", "y", "x"), (2, 0, 1)),
        (("lines", "bands", "samples"), (0, 2, 1)),
        (("wavelength", "longitude", "latitude"), (2, 1, 0)),
        (("one", "two", "three"), (0, 1, 2)),
        (None, (0, 1, 2)),
    ],
)
def test_axes_are_turned_by_their_names(
    dimensions: Any, axes: tuple[int, ...], zarr_format: int, tmp_path: Path
) -> None:
    path = write_zarr_cube(
        tmp_path / "a.zarr", CUBE.transpose(axes), dimensions=dimensions, zarr_format=zarr_format
    )
    scene = open_scene(path)
    assert (scene.name, scene.shape) == ("a", CUBE.shape)
    np.testing.assert_array_equal(scene.read(), CUBE)


def test_an_array_alone_and_an_archive_are_read(tmp_path: Path) -> None:
    zarr.create_array(str(tmp_path / "a.zarr"), data=CUBE)
    np.testing.assert_array_equal(open_scene(tmp_path / "a.zarr").read(), CUBE)
    shutil.make_archive(str(tmp_path / "b.zarr"), "zip", tmp_path / "a.zarr")
    scene = open_scene(tmp_path / "b.zarr.zip")
    assert scene.name == "b"
    np.testing.assert_array_equal(scene.read(), CUBE)


@pytest.mark.parametrize(
    "known",
    [
        {"attributes": {"wavelength": CENTRES.tolist()}},
        {"attributes": {"wavelengths": (CENTRES / 1e3).tolist(), "wavelength_units": "um"}},
        {"beside": {"wavelength": (CENTRES, {"units": "nm"})}},
        {"beside": {"wavelengths": (CENTRES / 1e3, {"units": "micrometers"})}},
        {"beside": {"band": (CENTRES, {"units": "nanometers"})}},
    ],
)
def test_wavelengths_are_found(known: dict[str, Any], tmp_path: Path) -> None:
    path = write_zarr_cube(tmp_path / "a.zarr", CUBE, dimensions=("y", "x", "band"), **known)
    wavelengths = open_scene(path).wavelengths_nm
    assert wavelengths is not None
    np.testing.assert_allclose(wavelengths, CENTRES)


def test_numbers_of_bands_are_no_wavelengths(tmp_path: Path) -> None:
    beside: dict[str, Any] = {"band": (np.arange(1.0, 4.0), {})}
    path = write_zarr_cube(tmp_path / "a.zarr", CUBE, dimensions=("y", "x", "band"), beside=beside)
    assert open_scene(path).wavelengths_nm is None


@pytest.mark.parametrize("at", ["attribute", "coordinate"])
def test_bad_bands_are_known(at: str, tmp_path: Path) -> None:
    good = np.array([1, 0, 1])
    known: dict[str, Any] = {"attributes": {"bbl": good.tolist()}}
    if at == "coordinate":
        known = {"beside": {"good_wavelengths": (good, {})}}
    bands = open_scene(write_zarr_cube(tmp_path / "a.zarr", CUBE, **known)).good_bands
    assert bands is not None
    assert bands.tolist() == [True, False, True]


def of_xarray(value: float) -> str:
    return base64.standard_b64encode(struct.pack("<d", value)).decode()


@pytest.mark.parametrize(
    ("attributes", "nodata"),
    [
        ({"_FillValue": 7}, 7.0),
        ({"missing_value": -1.5}, -1.5),
        ({"_FillValue": of_xarray(-9999.0)}, -9999.0),
        ({"_FillValue": of_xarray(float("nan"))}, float("nan")),
        ({"_FillValue": "NaN"}, float("nan")),
        ({"_FillValue": "what?"}, None),
        ({}, None),
    ],
)
def test_missing_values_are_those_that_are_said_to_be(
    attributes: dict[str, Any], nodata: float | None, tmp_path: Path
) -> None:
    path = write_zarr_cube(tmp_path / "a.zarr", CUBE.astype("float32"), attributes=attributes)
    assert str(open_scene(path).nodata) == str(nodata)


def test_scale_offset_and_unit_are_applied_and_missing_values_stay(tmp_path: Path) -> None:
    cube = CUBE.copy()
    cube[2, 3] = 0
    attributes = {"scale_factor": 0.5, "add_offset": 1.0, "_FillValue": 0, "units": "reflectance"}
    scene = open_scene(write_zarr_cube(tmp_path / "a.zarr", cube, attributes=attributes))
    values = scene.read()
    assert scene.unit == "reflectance"
    assert values[0, 0].tolist() == (cube[0, 0] / 2 + 1).tolist()
    assert np.argwhere(~scene.measured(values)).tolist() == [[2, 3]]


def test_the_place_is_found_by_six_numbers_or_by_coordinates(tmp_path: Path) -> None:
    a, b, x, d, e, y = TEN_METRES
    about = {"crs_wkt": "LOCAL_CS[]", "GeoTransform": f"{x} {a} {b} {y} {d} {e}"}
    axes: dict[str, Any] = {
        "y": (y + e * (np.arange(9) + 0.5), {}),
        "x": (x + a * (np.arange(8) + 0.5), {}),
    }
    none = np.array(0)
    for beside in ({"spatial_ref": (none, about)}, axes):
        path = write_zarr_cube(
            tmp_path / "a.zarr", CUBE, dimensions=("y", "x", "band"), beside=beside
        )
        place = open_scene(path).georeference
        assert place is not None
        assert place.transform == TEN_METRES
    uneven = {**axes, "x": (np.arange(8.0) ** 2, {})}
    path = write_zarr_cube(tmp_path / "a.zarr", CUBE, dimensions=("y", "x", "band"), beside=uneven)
    assert open_scene(path).georeference is None


def test_one_of_several_cubes_must_be_named(tmp_path: Path) -> None:
    write_zarr_cube(tmp_path / "a.zarr", CUBE, name="raw")
    group = zarr.open_group(str(tmp_path / "a.zarr"), mode="a")
    group.create_group("level2").create_array("clean", data=CUBE + 1)
    with pytest.raises(InvalidInputError, match=r"got 2: .*choose with --key NAME"):
        open_scene(tmp_path / "a.zarr")
    values = open_scene(tmp_path / "a.zarr", key="level2/clean").read()
    np.testing.assert_array_equal(values, CUBE + 1)


def test_a_map_of_classes_can_be_labels(tmp_path: Path) -> None:
    codes = np.array([[0, 1], [2, 2]], dtype=np.uint8)
    write_zarr_cube(tmp_path / "a.zarr", codes, name="classes")
    np.testing.assert_array_equal(open_labels(tmp_path / "a.zarr").codes, codes)
