"""What a GeoTIFF knows of its bands, and that all of it reaches the scene."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from jaxtyping import Bool
from rasterio.enums import ColorInterp

from pdml.errors import MissingExtraError, UnreadableFileError
from pdml.scenes.open import open_scene
from pdml.scenes.scene import Scene
from tests.scenes.geodata import TEN_METRES, UTM, write_cube

CUBE = np.arange(6 * 5 * 3, dtype=np.uint16).reshape(6, 5, 3)
CENTRES = [450.5, 551.25, 2201.0]


def per_band(names: Callable[[float], dict[str, str]], **domain: str) -> Callable[[Any], None]:
    def describe(file: Any) -> None:
        for band, centre in enumerate(CENTRES, start=1):
            file.update_tags(band, **domain, **names(centre))

    return describe


def described(text: Callable[[float], str]) -> Callable[[Any], None]:
    def describe(file: Any) -> None:
        file.descriptions = [text(centre) for centre in CENTRES]

    return describe


def of_file(domain: str | None = None, **tags: str) -> Callable[[Any], None]:
    return lambda file: file.update_tags(ns=domain, **tags)


LISTED = "{" + ", ".join(str(centre / 1000) for centre in CENTRES) + "}"
WAYS: dict[str, Callable[[Any], None]] = {
    "IMAGERY of GDAL 3.10": per_band(
        lambda nm: {"CENTRAL_WAVELENGTH_UM": str(nm / 1000)}, ns="IMAGERY"
    ),
    "tags of GDAL's ENVI": per_band(
        lambda nm: {"wavelength": str(nm / 1000), "wavelength_units": "Micrometers"}
    ),
    "tag without a unit": per_band(lambda nm: {"Wavelength": str(nm)}),
    "tag with its unit": per_band(lambda nm: {"WAVELENGTH": f"{nm} nm"}),
    "unit in the tag's name": per_band(lambda nm: {"center_wavelength_nm": str(nm)}),
    "list of the file": of_file(wavelength=LISTED, wavelength_units="um"),
    "list in domain ENVI": of_file("ENVI", wavelength=LISTED, wavelength_units="Micrometers"),
    "names of ENVI": described(lambda nm: f"Band 7 ({nm / 1000:.6f} Micrometers)"),
    "names with unit": described(lambda nm: f"B1 {nm} nm"),
    "plain numbers": described(str),
}


@pytest.mark.parametrize("way", WAYS)
def test_wavelengths_are_found_wherever_they_stand(way: str, tmp_path: Path) -> None:
    scene = open_scene(write_cube(tmp_path / "scene.tif", CUBE, describe=WAYS[way]))
    assert scene.wavelengths_nm is not None
    np.testing.assert_allclose(scene.wavelengths_nm, CENTRES, rtol=1e-12)


def some_bands_only(file: Any) -> None:
    file.update_tags(1, wavelength="450")


@pytest.mark.parametrize(
    "describe",
    [
        lambda _: None,
        some_bands_only,
        described(lambda nm: f"Band {nm:.0f}"),
        of_file(wavelength="{450, 550}"),
        per_band(lambda nm: {"wavelength": "1", "wavelength_units": "Index"}),
    ],
)
def test_without_a_wavelength_for_each_band_there_are_none(
    describe: Callable[[Any], None], tmp_path: Path
) -> None:
    path = write_cube(tmp_path / "scene.tif", CUBE, describe=describe)
    assert open_scene(path).wavelengths_nm is None


@pytest.mark.parametrize("domain", [None, "ENVI"])
def test_bad_bands_are_known(domain: str | None, tmp_path: Path) -> None:
    path = write_cube(tmp_path / "scene.tif", CUBE, describe=of_file(domain, bbl="{1, 0, 1}"))
    good = open_scene(path).good_bands
    assert good is not None
    assert good.tolist() == [True, False, True]


def test_place_and_nodata_are_those_of_the_file(tmp_path: Path) -> None:
    path = write_cube(tmp_path / "scene.tif", CUBE, nodata=7)
    scene = open_scene(path)
    assert scene.nodata == 7
    assert scene.georeference is not None
    assert scene.georeference.transform == TEN_METRES
    assert rasterio.crs.CRS.from_wkt(scene.georeference.crs) == rasterio.crs.CRS.from_string(UTM)
    with rasterio.open(path) as file:
        assert scene.georeference.crs == file.crs.to_wkt()


def test_a_file_without_a_place_has_none(tmp_path: Path) -> None:
    scene = open_scene(write_cube(tmp_path / "scene.tif", CUBE, transform=None))
    assert scene.georeference is None


def scaled(file: Any) -> None:
    file.scales, file.offsets = (0.5, 0.25, 1.0), (0.0, 10.0, -1.0)


def test_scale_and_offset_are_applied_and_nodata_stays(tmp_path: Path) -> None:
    cube = CUBE.astype(np.int16)
    cube[2, 3] = -9999
    scene = open_scene(write_cube(tmp_path / "scene.tif", cube, nodata=-9999, describe=scaled))
    values = scene.read()
    assert values.dtype == scene.source.dtype == np.float32
    assert values[1, 4].tolist() == [cube[1, 4, 0] / 2, cube[1, 4, 1] / 4 + 10, cube[1, 4, 2] - 1]
    assert values[2, 3].tolist() == [-9999] * 3
    assert np.argwhere(~scene.measured(values)).tolist() == [[2, 3]]


def test_bands_without_a_scale_keep_their_type(tmp_path: Path) -> None:
    scene = open_scene(write_cube(tmp_path / "scene.tif", CUBE))
    assert scene.source.dtype == np.uint16


@pytest.mark.parametrize("dtype", ["uint8", "int16", "uint16", "float32"])
def test_what_the_files_mask_leaves_out_was_not_measured(dtype: str, tmp_path: Path) -> None:
    present = np.ones(CUBE.shape[:2], dtype=bool)
    present[:2, 3:] = False
    with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True):
        path = write_cube(
            tmp_path / "scene.tif",
            np.asarray(CUBE, dtype=dtype),
            describe=lambda file: file.write_mask(present),
        )
    assert_only_these_are_measured(open_scene(path), present)


def test_an_alpha_band_is_a_mask_and_no_band(tmp_path: Path) -> None:
    cube = np.dstack([CUBE, np.full(CUBE.shape[:2], 65535, dtype=np.uint16)])
    cube[1, 1, 3] = 0

    def mark_alpha(file: Any) -> None:
        file.colorinterp = [*[ColorInterp.gray] * 3, ColorInterp.alpha]

    scene = open_scene(write_cube(tmp_path / "scene.tif", cube, describe=mark_alpha))
    assert scene.n_bands == 3
    assert_only_these_are_measured(scene, cube[..., 3] > 0)


def assert_only_these_are_measured(scene: Scene, present: Bool[np.ndarray, "row col"]) -> None:
    values = scene.read()
    np.testing.assert_array_equal(scene.measured(values), present)
    np.testing.assert_array_equal(values[present], CUBE[present])


def test_bands_of_several_types_are_read_as_one_that_holds_all(tmp_path: Path) -> None:
    write_cube(tmp_path / "0.tif", CUBE[..., :1].astype(np.uint8))
    write_cube(tmp_path / "1.tif", CUBE[..., 1:2].astype(np.float32))
    bands = "".join(
        f'<VRTRasterBand dataType="{kind}" band="{number + 1}"><SimpleSource>'
        f'<SourceFilename relativeToVRT="1">{number}.tif</SourceFilename>'
        "<SourceBand>1</SourceBand></SimpleSource></VRTRasterBand>"
        for number, kind in enumerate(["Byte", "Float32"])
    )
    path = tmp_path / "scene.vrt"
    path.write_text(f'<VRTDataset rasterXSize="5" rasterYSize="6">{bands}</VRTDataset>')
    scene = open_scene(path)
    assert scene.source.dtype == np.float32
    np.testing.assert_array_equal(scene.read(), CUBE[..., :2])


def test_a_truncated_file_is_refused_with_gdals_own_reason(tmp_path: Path) -> None:
    path = write_cube(tmp_path / "scene.tif", np.ones((300, 40, 4), dtype=np.float32))
    path.write_bytes(path.read_bytes()[:100_000])
    message = (
        r"scene.tif' must be a complete .tif file, .*got 7296 bytes, expected 7680.* truncated"
    )
    with pytest.raises(UnreadableFileError, match=message):
        open_scene(path).read()


def test_without_rasterio_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_cube(tmp_path / "scene.tif", CUBE)
    monkeypatch.setitem(sys.modules, "rasterio", None)
    with pytest.raises(MissingExtraError, match=r"'rasterio', .* pip install 'pdml\[geo\]'"):
        open_scene(path)
