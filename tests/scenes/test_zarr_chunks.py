"""A chunk that is cut off is never decompressed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

from pdml.errors import UnreadableFileError
from pdml.scenes.open import open_labels, open_scene
from pdml.scenes.zarr_chunks import require_whole_frame

BLOSC: dict[str, dict[str, Any]] = {
    "version 2": {"zarr_format": 2, "compressors": "numcodecs"},
    "version 3": {"zarr_format": 3, "compressors": "zarr"},
}


def write(path: Path, values: np.ndarray, version: str) -> None:
    """One array by itself, compressed by Blosc."""
    from numcodecs import Blosc
    from zarr.codecs import BloscCodec

    codec = Blosc() if BLOSC[version]["compressors"] == "numcodecs" else BloscCodec()
    array = zarr.create_array(
        path,
        shape=values.shape,
        chunks=(8, *values.shape[1:]),
        dtype=values.dtype,
        zarr_format=BLOSC[version]["zarr_format"],
        compressors=codec,
    )
    array[...] = values


@pytest.mark.parametrize("version", BLOSC)
def test_a_chunk_of_blosc_that_is_cut_off_is_always_noticed(version: str, tmp_path: Path) -> None:
    cube = np.random.default_rng(0).random((24, 20, 5))
    for attempt in range(10):  # garbage in memory is not there each time
        path = tmp_path / f"scene{attempt}.zarr"
        write(path, cube, version)
        np.testing.assert_array_equal(open_scene(path).read(), cube)
        files = [file for file in path.rglob("*") if file.is_file()]
        largest = max(files, key=lambda file: file.stat().st_size)
        largest.write_bytes(largest.read_bytes()[: largest.stat().st_size // 2])
        with pytest.raises(UnreadableFileError, match=r"must be a complete .* is cut off: it has"):
            open_scene(path).read()


def test_labels_of_blosc_are_read_and_looked_at(tmp_path: Path) -> None:
    codes = np.random.default_rng(0).integers(0, 4, (16, 12)).astype(np.uint8)
    path = tmp_path / "labels.zarr"
    write(path, codes, "version 2")
    np.testing.assert_array_equal(open_labels(path).codes, codes)
    chunk = next(file for file in path.rglob("*") if file.name == "0.0")
    chunk.write_bytes(chunk.read_bytes()[:20])
    with pytest.raises(UnreadableFileError, match="may be truncated"):
        open_labels(path)


def test_a_frame_is_as_long_as_its_header_says() -> None:
    whole = bytes(12) + (20).to_bytes(4, "little") + bytes(4)
    require_whole_frame(whole, "c/0/0")
    with pytest.raises(ValueError, match=r"chunk c/0/0 is cut off: it has 19 bytes"):
        require_whole_frame(whole[:-1], "c/0/0")
    with pytest.raises(ValueError, match="it has 3 bytes"):
        require_whole_frame(whole[:3], "c/0/0")
