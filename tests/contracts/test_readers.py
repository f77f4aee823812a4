"""What every reader must do, whatever the format."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Literal

import h5py
import numpy as np
import pytest
import rasterio.shutil
from jaxtyping import Shaped
from scipy.io import savemat

from pdml.datasets.synthetic import synthetic_scene
from pdml.errors import UnreadableFileError
from pdml.scenes.open import open_labels, open_scene, readable_suffixes
from pdml.scenes.reader import READERS
from pdml.scenes.window import Window
from tests.scenes.geodata import write_cube
from tests.scenes.products import write_emit, write_enmap, write_prisma
from tests.scenes.zarrs import write_zarr_cube

Array = Shaped[np.ndarray, "row col *band"]
Write = Callable[[Path, Array], object]


def _write_hdf5_mat(path: Path, array: Array) -> None:
    """As MATLAB does: a text header of 512 bytes, axes in reverse, the class beside the values."""
    with h5py.File(path, "w", userblock_size=512) as file:
        stored = file.create_dataset("values", data=array.T, chunks=True, compression="gzip")
        stored.attrs["MATLAB_class"] = np.bytes_(array.dtype.name)
    with path.open("rb+") as raw:
        raw.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM")


def _write_virtual(path: Path, array: Array) -> None:
    """A file that only points to another."""
    write_cube(path.with_suffix(".tif"), array)
    rasterio.shutil.copy(path.with_suffix(".tif"), path, driver="VRT")


def _write_ortho_emit(path: Path, array: Array) -> None:
    """With a look-up table that turns the sensor's grid upside down."""
    cols, rows = np.meshgrid(np.arange(1, array.shape[1] + 1), np.arange(array.shape[0], 0, -1))
    write_emit(path, array[::-1], glt=(cols, rows))


def _write_prisma(path: Path, array: Array) -> None:
    unchanged = (0.0, 65535.0)
    scale = {"Vnir": unchanged, "Swir": unchanged}
    write_prisma(path, array, n_vnir=2, missing=[0, 1], scale=scale)


# One entry per reader, or several where a format has variants: (reader, variant) -> writer.
WRITERS: dict[tuple[str, str], Write] = {
    ("gdal", "virtual"): _write_virtual,
    ("geotiff", "strips"): write_cube,
    ("geotiff", "strips by pixel"): partial(write_cube, interleave="pixel"),
    ("geotiff", "tiles"): partial(
        write_cube, tiled=True, blockxsize=16, blockysize=16, compress="deflate"
    ),
    ("mat", "5"): lambda path, array: savemat(path, {"values": array}),
    ("mat", "7"): lambda path, array: savemat(path, {"values": array}, do_compression=True),
    ("mat", "7.3"): _write_hdf5_mat,
    ("npy", "C order"): np.save,
    ("npy", "F order"): lambda path, array: np.save(path, np.asfortranarray(array)),
    ("npz", "plain"): lambda path, array: np.savez(path, values=array),
    ("npz", "compressed"): lambda path, array: np.savez_compressed(path, values=array),
    ("envi", "by band"): partial(write_cube, driver="ENVI", interleave="bsq"),
    ("envi", "by line"): partial(write_cube, driver="ENVI", interleave="bil"),
    ("envi", "by pixel"): partial(write_cube, driver="ENVI", interleave="bip"),
    ("zarr", "version 3"): write_zarr_cube,
    ("zarr", "version 2"): partial(write_zarr_cube, zarr_format=2),
    ("zarr", "shards"): partial(write_zarr_cube, chunks=4, shards=8),
    ("emit", "swath"): write_emit,
    ("emit", "ortho"): _write_ortho_emit,
    ("prisma", "L2D"): _write_prisma,
    ("enmap", "L2A"): lambda path, array: write_enmap(path, array, gain=1.0),
}

PRODUCTS = {"emit", "prisma", "enmap"}
"""Formats of one cube of reflectance, in which there are no labels."""

SCALED = {"prisma"}
"""Formats whose numbers are always turned into reflectance."""


@pytest.fixture(params=WRITERS, ids=" ".join)
def format_(request: pytest.FixtureRequest) -> tuple[str, Write]:
    """The suffix and the writer of one format."""
    reader, _ = key = request.param
    return READERS.get(reader).suffixes[0], WRITERS[key]


def reader_of(suffix: str) -> str:
    return readable_suffixes()[suffix]


def test_every_registered_reader_is_tested_here() -> None:
    assert {reader for reader, _ in WRITERS} == set(READERS.names())


@pytest.mark.parametrize("dtype", ["float32", "uint16"])
def test_a_scene_comes_back_as_it_was_written(
    format_: tuple[str, Write], dtype: Literal["float32", "uint16"], tmp_path: Path
) -> None:
    suffix, write = format_
    scene, _ = synthetic_scene(9, 11, n_bands=5, n_classes=2, seed=0, dtype=dtype)
    write(tmp_path / f"scene{suffix}", scene.read())
    opened = open_scene(tmp_path / f"scene{suffix}")
    stored = np.dtype("float32" if reader_of(suffix) in SCALED else dtype)
    assert (opened.shape, opened.source.dtype) == (scene.shape, stored)
    values = opened.read()
    assert values.flags.c_contiguous
    np.testing.assert_array_equal(values, scene.read())


def test_a_window_is_a_crop_of_the_full_read(format_: tuple[str, Write], tmp_path: Path) -> None:
    suffix, write = format_
    write(tmp_path / f"scene{suffix}", np.random.default_rng(0).random((9, 11, 5)))
    scene = open_scene(tmp_path / f"scene{suffix}")
    values = scene.read(Window(2, 7, 3, 11))
    assert values.flags.c_contiguous
    np.testing.assert_array_equal(values, scene.read()[2:7, 3:11])


def test_labels_come_back_as_they_were_written(format_: tuple[str, Write], tmp_path: Path) -> None:
    suffix, write = format_
    if reader_of(suffix) in PRODUCTS:
        pytest.skip("there are no labels in such a file")
    codes = np.random.default_rng(0).integers(0, 4, (9, 11)).astype(np.uint8)
    write(tmp_path / f"labels{suffix}", codes)
    np.testing.assert_array_equal(open_labels(tmp_path / f"labels{suffix}").codes, codes)


def test_a_source_that_was_pickled_reads_the_same_and_is_small(
    format_: tuple[str, Write], tmp_path: Path
) -> None:
    suffix, write = format_
    write(tmp_path / f"scene{suffix}", np.random.default_rng(0).random((30, 30, 5)))
    scene = open_scene(tmp_path / f"scene{suffix}")
    values = scene.read()
    sent = pickle.dumps(scene)
    assert len(sent) < 2000 < values.nbytes
    np.testing.assert_array_equal(pickle.loads(sent).read(), values)


@pytest.mark.parametrize("kept", [0.02, 0.5, 0.97])
def test_a_truncated_file_is_said_to_be_truncated(
    format_: tuple[str, Write], kept: float, tmp_path: Path
) -> None:
    suffix, write = format_
    path = tmp_path / f"scene{suffix}"
    write(path, np.random.default_rng(0).random((30, 30, 5)))
    files = [file for file in path.rglob("*") if file.is_file()] or [path]
    largest = max(files, key=lambda file: file.stat().st_size)
    whole = largest.read_bytes()
    largest.write_bytes(whole[: int(kept * len(whole))])
    with pytest.raises(UnreadableFileError, match=f"scene{suffix}' must be a complete .* truncat"):
        open_scene(path).read()


def test_a_file_of_another_kind_is_refused(format_: tuple[str, Write], tmp_path: Path) -> None:
    path = tmp_path / f"scene{format_[0]}"
    path.write_text("<html>not found</html>" * 20, encoding="utf-8")
    with pytest.raises(UnreadableFileError, match="of another kind"):
        open_scene(path)
