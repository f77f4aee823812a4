"""Satellite products: what their files say of bands, place and missing pixels comes along."""

from __future__ import annotations

import shutil
from pathlib import Path

import h5py
import numpy as np
import pytest
import rasterio
from jaxtyping import Shaped
from rasterio.crs import CRS

from pdml.errors import InvalidInputError, MissingFileError
from pdml.scenes.open import open_labels, open_scene
from pdml.scenes.readers import emit
from pdml.scenes.window import Window
from tests.scenes.products import (
    EMIT_CORNER,
    EMIT_PIXEL,
    SCALE,
    write_emit,
    write_enmap,
    write_prisma,
)

ENMAP = "ENMAP01-____L2A-DT0000001867-SPECTRAL_IMAGE.TIF"
UTM = CRS.from_epsg(32633)


def numbers(n_bands: int = 6) -> Shaped[np.ndarray, "row col band"]:
    values = np.random.default_rng(0).integers(1, 9000, (7, 9, n_bands))
    return values.astype(np.uint16)


def crs_of(wkt: str) -> CRS:
    return CRS.from_wkt(wkt)


# EMIT


@pytest.fixture
def swath() -> Shaped[np.ndarray, "row col band"]:
    return np.random.default_rng(1).random((12, 10, 4), dtype=np.float32)


@pytest.fixture
def glt() -> tuple[Shaped[np.ndarray, "y x"], Shaped[np.ndarray, "y x"]]:
    """A swath that lies askew: the map's row and column are turned and spread, with gaps around."""
    y, x = np.mgrid[:16, :14]
    row, col = y - x // 3, x - 2 + y // 5
    inside = (row >= 0) & (row < 12) & (col >= 0) & (col < 10)
    return np.where(inside, col + 1, 0), np.where(inside, row + 1, 0)


def by_loop(
    swath: Shaped[np.ndarray, "row col band"],
    glt: tuple[Shaped[np.ndarray, "y x"], Shaped[np.ndarray, "y x"]],
) -> Shaped[np.ndarray, "y x band"]:
    cols, rows = glt
    found = np.full((*cols.shape, swath.shape[2]), -9999, dtype=np.float32)
    for place in np.ndindex(cols.shape):
        if cols[place] > 0:
            found[place] = swath[rows[place] - 1, cols[place] - 1]
    return found


@pytest.mark.parametrize("piece", [3, 64])
def test_emit_is_looked_up_on_the_grid_of_the_map(
    swath: Shaped[np.ndarray, "row col band"],
    glt: tuple[Shaped[np.ndarray, "y x"], Shaped[np.ndarray, "y x"]],
    piece: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(emit, "PIECE_PIXELS", piece)
    write_emit(tmp_path / "scene.nc", swath, glt=glt, good=[1, 1, 0, 1])
    scene = open_scene(tmp_path / "scene.nc")
    expected = by_loop(swath, glt)
    np.testing.assert_array_equal(scene.read(), expected)
    np.testing.assert_array_equal(scene.read(Window(3, 11, 2, 13)), expected[3:11, 2:13])
    np.testing.assert_array_equal(scene.measured(scene.read()), glt[0] > 0)
    assert scene.good_bands is not None
    assert scene.good_bands.tolist() == [True, True, False, True]
    assert scene.wavelengths_nm == pytest.approx([381, 1085, 1789, 2493])
    assert scene.about == {"sensor": "EMIT"}


def test_emit_lies_where_its_geotransform_says(
    swath: Shaped[np.ndarray, "row col band"],
    glt: tuple[Shaped[np.ndarray, "y x"], Shaped[np.ndarray, "y x"]],
    tmp_path: Path,
) -> None:
    write_emit(tmp_path / "scene.nc", swath, glt=glt)
    place = open_scene(tmp_path / "scene.nc").georeference
    assert place is not None
    assert place.xy(0, 0) == EMIT_CORNER
    left, top = EMIT_CORNER
    assert place.xy(5, 2) == pytest.approx((left + 2 * EMIT_PIXEL, top - 5 * EMIT_PIXEL))
    assert crs_of(place.crs) == CRS.from_epsg(4326)


def test_emit_without_a_look_up_table_stays_on_the_sensors_grid(
    swath: Shaped[np.ndarray, "row col band"], tmp_path: Path
) -> None:
    write_emit(tmp_path / "scene.nc", swath)
    scene = open_scene(tmp_path / "scene.nc")
    np.testing.assert_array_equal(scene.read(), swath)
    assert scene.georeference is None
    assert scene.nodata == -9999


def test_another_netcdf_says_what_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "rain.nc"
    with h5py.File(path, "w") as file:
        file["rain"], file["time"] = np.zeros((2, 3, 4)), np.zeros(2)
    with pytest.raises(InvalidInputError) as refusal:
        open_scene(path)
    assert str(refusal.value) == (
        f"'{path}' must be an EMIT L2A product with a cube 'reflectance', it holds: rain, time; "
        "convert other NetCDF files to GeoTIFF first, with gdal_translate for example"
    )


# PRISMA


def test_prisma_is_reflectance_from_short_to_long_wavelengths(tmp_path: Path) -> None:
    stored = numbers()
    write_prisma(tmp_path / "scene.he5", stored, n_vnir=4, missing=[0, 2])
    scene = open_scene(tmp_path / "scene.he5")
    assert scene.shape == (7, 9, 6)
    values = scene.read()
    for band in range(6):
        low, high = SCALE["Vnir" if band < 4 else "Swir"]
        by_hand = low + stored[..., band].astype(float) * (high - low) / 65535
        np.testing.assert_allclose(values[..., band], by_hand, rtol=1e-6)
    nm = [402, 402 + 575 / 3, 402 + 1150 / 3, 977, 943, 2497]
    assert scene.wavelengths_nm == pytest.approx(nm)


def test_prisma_marks_what_lies_outside_of_the_swath(tmp_path: Path) -> None:
    stored = numbers()
    stored[2, 3] = 0
    stored[4, 5, 1:] = 0  # one band is there, so it was measured
    write_prisma(tmp_path / "scene.he5", stored, n_vnir=4)
    scene = open_scene(tmp_path / "scene.he5")
    missing = np.argwhere(~scene.measured(scene.read()))
    assert missing.tolist() == [[2, 3]]


def test_the_corners_of_prisma_are_centres_of_pixels(tmp_path: Path) -> None:
    write_prisma(tmp_path / "scene.he5", numbers(), n_vnir=4)
    place = open_scene(tmp_path / "scene.he5").georeference
    assert place is not None
    assert list(place.transform) == [30, 0, 600_000, 0, -30, 5_300_000]
    assert crs_of(place.crs) == UTM


def test_another_level_of_prisma_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "scene.he5"
    with h5py.File(path, "w") as file:
        file["HDFEOS/SWATHS/PRS_L1_HCO/Data Fields/VNIR_Cube"] = np.zeros((2, 3, 4))
    with pytest.raises(InvalidInputError) as refusal:
        open_scene(path)
    assert str(refusal.value) == (
        f"'{path}' must be a PRISMA L2D product, which has the cubes VNIR_Cube and SWIR_Cube in "
        "HDFEOS/SWATHS/PRS_L2D_HCO/Data Fields, they are not there; order or convert the scene "
        "as L2D"
    )


# EnMAP


@pytest.mark.parametrize("named", [ENMAP, ENMAP.replace("SPECTRAL_IMAGE.TIF", "METADATA.XML")])
def test_enmap_is_reflectance_by_gain_and_offset(named: str, tmp_path: Path) -> None:
    stored = numbers().astype(np.int16)
    stored[0, 0], stored[1, 1, 2] = -32768, -32768
    write_enmap(tmp_path / ENMAP, stored, gain=0.0001, offset=0.02, unexpected=[3])
    scene = open_scene(tmp_path / named)
    values = scene.read()
    by_hand = np.where(stored == -32768, -32768.0, stored * 0.0001 + 0.02)
    np.testing.assert_allclose(values, by_hand, rtol=1e-6)
    assert np.argwhere(~scene.measured(values)).tolist() == [[0, 0]]
    assert scene.good_bands is not None
    assert scene.good_bands.tolist() == [True, True, False, True, True, True]
    assert scene.wavelengths_nm == pytest.approx(np.linspace(418, 2445, 6))
    assert scene.name == "ENMAP01-____L2A-DT0000001867"


def test_enmap_lies_where_its_image_does(tmp_path: Path) -> None:
    write_enmap(tmp_path / ENMAP, numbers())
    place = open_scene(tmp_path / ENMAP).georeference
    assert place is not None
    with rasterio.open(tmp_path / ENMAP) as file:
        assert place.transform == tuple(file.transform)[:6]
        assert crs_of(place.crs) == file.crs == UTM


def test_enmap_without_its_description_says_which_file_is_missing(tmp_path: Path) -> None:
    write_enmap(tmp_path / ENMAP, numbers())
    description = ENMAP.replace("SPECTRAL_IMAGE.TIF", "METADATA.XML")
    (tmp_path / description).unlink()
    with pytest.raises(MissingFileError) as refusal:
        open_scene(tmp_path / ENMAP)
    assert str(refusal.value) == (
        f"an EnMAP product needs '{description}' beside '{ENMAP}', there is none in '{tmp_path}'; "
        "put both files of the product into one folder"
    )


def test_enmap_with_the_description_of_another_image_is_refused(tmp_path: Path) -> None:
    write_enmap(tmp_path / ENMAP, numbers(), n_described=5)
    with pytest.raises(InvalidInputError, match=r"describe the 6 bands of 'ENMAP.*describes 5; c"):
        open_scene(tmp_path / ENMAP)


def test_a_description_that_could_grow_without_end_is_refused(tmp_path: Path) -> None:
    write_enmap(tmp_path / ENMAP, numbers())
    description = tmp_path / ENMAP.replace("SPECTRAL_IMAGE.TIF", "METADATA.XML")
    description.write_text('<!DOCTYPE a [<!ENTITY b "bb">]><level_X>&b;</level_X>')
    with pytest.raises(InvalidInputError, match="must be plain XML as EnMAP delivers it"):
        open_scene(tmp_path / ENMAP)


def test_names_in_small_letters_are_found_too(tmp_path: Path) -> None:
    write_enmap(tmp_path / ENMAP, numbers())
    for file in list(tmp_path.iterdir()):
        shutil.move(file, file.with_name(file.name.lower()))
    assert open_scene(tmp_path / ENMAP.lower()).shape == (7, 9, 6)


def test_a_product_holds_no_labels(tmp_path: Path) -> None:
    write_prisma(tmp_path / "scene.he5", numbers(), n_vnir=4)
    with pytest.raises(InvalidInputError, match=r"must hold a label map .*reflectance \(7, 9, 6\)"):
        open_labels(tmp_path / "scene.he5")
