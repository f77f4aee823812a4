"""A map as zarr says what the map says, and where it is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import zarr

from pdml.errors import StorageError
from pdml.inference.zarr_map import write_zarr
from pdml.scenes.georeference import Georeference
from tests.inference.maps import CATEGORIES, small_layers, small_map

PLACE = Georeference((3.1, 0.0, 500_000.1, 0.0, -2.7, 1e6 / 3), 'LOCAL_CS["somewhere"]')


def test_arrays_and_names_read_back(tmp_path: Path) -> None:
    layers = small_layers(small_map((300, 41))).array
    write_zarr(
        tmp_path / "map.zarr",
        small_layers(small_map((300, 41))),
        CATEGORIES,
        georeference=PLACE,
        about={"scene": "field"},
    )
    group = zarr.open_group(str(tmp_path / "map.zarr"), mode="r")
    for name in ("classes", "top_probability", "entropy", "embedding_variance"):
        array = group[name]
        assert isinstance(array, zarr.Array)
        np.testing.assert_array_equal(array[...], layers[name])
        assert array.metadata.to_dict()["dimension_names"] == ("y", "x")
        assert array.chunks == (256, 41)
    assert group.attrs["categories"] == CATEGORIES.names
    assert group.attrs["scene"] == "field"


def test_the_place_is_kept_to_the_last_bit(tmp_path: Path) -> None:
    layers = small_layers(small_map(has_variance=False))
    write_zarr(tmp_path / "map.zarr", layers, CATEGORIES, georeference=PLACE)
    group = zarr.open_group(str(tmp_path / "map.zarr"), mode="r")
    place = group["spatial_ref"].attrs
    c, a, b, f, d, e = (float(number) for number in str(place["GeoTransform"]).split())
    assert (a, b, c, d, e, f) == PLACE.transform
    assert place["crs_wkt"] == PLACE.crs
    assert group["classes"].attrs["grid_mapping"] == "spatial_ref"
    assert "embedding_variance" not in group


def test_a_place_that_cannot_be_written_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError) as refusal:
        write_zarr(tmp_path / "file" / "map.zarr", small_layers(small_map()), CATEGORIES)
    assert str(refusal.value) == (
        "cannot write map.zarr: Not a directory; nothing was changed under that name, free some "
        "space and repeat the command: what is mapped already is kept"
    )
