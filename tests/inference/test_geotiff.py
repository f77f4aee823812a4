"""A GeoTIFF says what the map says, where it is, and what its classes are called."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import rasterio
import rasterio.shutil
from rasterio.errors import NotGeoreferencedWarning

from pdml.errors import StorageError
from pdml.inference.geotiff import companions, write_geotiff
from pdml.scenes.georeference import Georeference
from tests.inference.maps import CATEGORIES, small_layers, small_map

# Numbers without a short binary form, so that any rounding on the way would show.
PLACE = Georeference(
    (3.1 + 1 / 3, 0.0, 500_000.1 + 1 / 7, 0.0, -2.7 - 1 / 9, 4_649_776.3 + 1 / 11),
    rasterio.CRS.from_epsg(32633).to_wkt(),
)
TURNED = Georeference((2.1, 0.3, 17.7, 0.4, -1.9, 1e6 / 3), PLACE.crs)


@pytest.fixture(params=[False, True], ids=["plain", "cog"])
def written(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A map that was written, plain and cloud-optimised."""
    write_geotiff(
        tmp_path / "map.tif",
        small_layers(small_map()),
        CATEGORIES,
        georeference=PLACE,
        about={"scene": "field"},
        cog=request.param,
    )
    return tmp_path / "map.tif"


def test_classes_and_doubts_read_back_as_they_were(written: Path) -> None:
    layers = small_layers(small_map()).array
    with rasterio.open(written) as file:
        assert file.dtypes == ("uint8",)
        np.testing.assert_array_equal(file.read(1), layers["classes"])
    with rasterio.open(written.with_name("map_confidence.tif")) as file:
        assert file.dtypes == ("float32",) * 3
        assert file.descriptions == ("top_probability", "entropy", "embedding_variance")
        for band, name in enumerate(file.descriptions, start=1):
            np.testing.assert_array_equal(file.read(band), layers[name])


def test_what_was_not_measured_is_nodata_in_both(written: Path) -> None:
    measured = small_map().measured
    with rasterio.open(written) as file:
        assert file.nodata == 0
        np.testing.assert_array_equal(file.read_masks(1) > 0, measured)
    with rasterio.open(written.with_name("map_confidence.tif")) as file:
        assert np.isnan(file.nodata)
        np.testing.assert_array_equal(file.read_masks(2) > 0, measured)


def test_the_place_is_that_of_the_scene_to_the_last_bit(written: Path) -> None:
    for name in ("map.tif", "map_confidence.tif"):
        with rasterio.open(written.with_name(name)) as file:
            assert tuple(file.transform)[:6] == PLACE.transform
            assert file.crs == rasterio.CRS.from_wkt(PLACE.crs)
            assert file.crs.to_epsg() == 32633


def test_a_raster_that_is_turned_keeps_its_place(tmp_path: Path) -> None:
    layers = small_layers(small_map())
    write_geotiff(tmp_path / "map.tif", layers, CATEGORIES, georeference=TURNED)
    with rasterio.open(tmp_path / "map.tif") as file:
        assert tuple(file.transform)[:6] == TURNED.transform


def test_a_place_without_a_reference_system_and_none_at_all_are_kept(tmp_path: Path) -> None:
    layers = small_layers(small_map())
    nowhere = Georeference(PLACE.transform)
    write_geotiff(tmp_path / "map.tif", layers, CATEGORIES, georeference=nowhere)
    with rasterio.open(tmp_path / "map.tif") as file:
        assert (tuple(file.transform)[:6], file.crs) == (PLACE.transform, None)
    write_geotiff(tmp_path / "map.tif", layers, CATEGORIES)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        with rasterio.open(tmp_path / "map.tif") as file:
            assert file.transform.is_identity
            assert file.crs is None


def test_the_file_holds_the_colour_table_and_what_codes_mean(written: Path) -> None:
    with rasterio.open(written) as file:
        colours = file.colormap(1)
        assert [colours[code] for code in range(5)] == CATEGORIES.rgba
        assert file.descriptions == ("class",)
        tags = file.tags(1)
        assert [tags[f"class_{code}"] for code in range(5)] == CATEGORIES.names
        assert file.tags()["scene"] == "field"
        assert file.tags()["software"].startswith("pdml ")


def test_gdal_finds_the_names_of_categories_beside_the_file(written: Path) -> None:
    root = ElementTree.parse(written.with_name("map.tif.aux.xml")).getroot()
    names = [item.text for item in root.findall("PAMRasterBand[@band='1']/CategoryNames/Category")]
    assert names == CATEGORIES.names
    # What GDAL itself has read goes into the description of a virtual raster.
    rasterio.shutil.copy(written, written.with_name("read.vrt"), driver="VRT")
    read = ElementTree.parse(written.with_name("read.vrt")).getroot()
    found = read.findall("VRTRasterBand[@band='1']/CategoryNames/Category")
    assert [item.text for item in found] == CATEGORIES.names


def test_qgis_finds_a_style_with_a_label_per_class(written: Path) -> None:
    root = ElementTree.parse(written.with_name("map.qml")).getroot()
    renderer = root.find("pipe/rasterrenderer")
    assert renderer is not None
    assert (renderer.get("type"), renderer.get("band")) == ("paletted", "1")
    entries = [
        (entry.get("value"), entry.get("label"), entry.get("color"))
        for entry in renderer.findall("colorPalette/paletteEntry")
    ]
    assert entries == [
        ("1", "oats", "#ff0000"),
        ("2", "corn & maize", "#00ff00"),
        ("3", "woods", "#0000ff"),
        ("4", "rejected", "#000000"),
    ]


def test_files_are_tiled_and_compressed_and_the_same_each_time(
    written: Path, tmp_path: Path
) -> None:
    with rasterio.open(written) as file:
        assert file.profile["compress"] == "deflate"
        assert file.block_shapes == [(256, 256)]
        cog = file.tags(ns="IMAGE_STRUCTURE").get("LAYOUT") == "COG"
    again = tmp_path / "again"
    again.mkdir()
    write_geotiff(
        again / "map.tif",
        small_layers(small_map()),
        CATEGORIES,
        georeference=PLACE,
        about={"scene": "field"},
        cog=cog,
    )
    names = {"map.tif", *companions("map.tif")}
    assert {path.name for path in again.iterdir()} == names
    for name in names:
        assert (again / name).read_bytes() == written.with_name(name).read_bytes()


def test_a_map_larger_than_a_block_has_no_seams(tmp_path: Path) -> None:
    layers = small_layers(small_map((300, 520), has_variance=False))
    write_geotiff(tmp_path / "map.tif", layers, CATEGORIES, georeference=PLACE, cog=True)
    with rasterio.open(tmp_path / "map.tif") as file:
        np.testing.assert_array_equal(file.read(1), layers.array["classes"])
        assert file.overviews(1)
        assert file.tags(ns="IMAGE_STRUCTURE")["LAYOUT"] == "COG"
    with rasterio.open(tmp_path / "map_confidence.tif") as file:
        assert file.descriptions == ("top_probability", "entropy")


def test_what_gdal_cannot_write_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "map.tif").mkdir()
    with pytest.raises(StorageError) as refusal:
        write_geotiff(tmp_path / "map.tif", small_layers(small_map()), CATEGORIES)
    text = str(refusal.value)
    assert text.startswith("cannot write map.tif: ")
    assert text.endswith(
        "; nothing was changed under that name, free some space and repeat the command: what is "
        "mapped already is kept"
    )
    assert "\n" not in text


def test_a_file_that_does_not_read_back_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = rasterio.io.DatasetWriter.write

    def forgetful(
        file: Callable[..., None], array: np.ndarray, *args: object, **known: object
    ) -> None:
        write(file, array * 0, *args, **known)

    monkeypatch.setattr(rasterio.io.DatasetWriter, "write", forgetful)
    with pytest.raises(StorageError, match=r"what was written into map\.tif does not read back"):
        write_geotiff(tmp_path / "map.tif", small_layers(small_map()), CATEGORIES)
