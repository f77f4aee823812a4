"""ENVI: every type, order of axes and of bytes, and all that a header says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from jaxtyping import Shaped

from pdml.errors import InvalidInputError, MissingFileError, UnreadableFileError
from pdml.scenes.open import open_labels, open_scene
from tests.scenes.geodata import TEN_METRES

CODES = {
    "uint8": 1, "int16": 2, "int32": 3, "float32": 4, "float64": 5, "uint16": 12, "uint32": 13,
    "int64": 14, "uint64": 15,
}  # fmt: skip
AXES = {"bsq": (2, 0, 1), "bil": (0, 2, 1), "bip": (0, 1, 2)}
MORE = """wavelength units = Micrometers
wavelength = {0.45, 0.55, 1.4}
bbl = {1, 1, 0}
data ignore value = -99
map info = {UTM, 1, 1, 500000, 5000000, 10, 10, 33, North, WGS-84, units=Meters}
"""


def write_envi(
    header: Path,
    cube: Shaped[np.ndarray, "row col band"],
    *,
    data: str = "",
    interleave: str = "bsq",
    big_endian: bool = False,
    offset: int = 0,
    more: str = "",
) -> Path:
    """Writes the two files by hand, as the format is described."""
    kind = cube.dtype.newbyteorder(">" if big_endian else "<")
    stored = cube.transpose(AXES[interleave]).astype(kind)
    (header.with_name(data) if data else header.with_suffix(".dat")).write_bytes(
        b"x" * offset + stored.tobytes()
    )
    header.write_text(
        f"ENVI\nsamples = {cube.shape[1]}\nlines = {cube.shape[0]}\nbands = {cube.shape[2]}\n"
        f"header offset = {offset}\nfile type = ENVI Standard\ndata type = "
        f"{CODES.get(cube.dtype.name, 6)}\ninterleave = {interleave}\nbyte order = "
        f"{int(big_endian)}\n{more}",
        encoding="ascii",
    )
    return header


def cube_of(dtype: str = "int16") -> Shaped[np.ndarray, "row col band"]:
    return np.arange(4 * 5 * 3).reshape(4, 5, 3).astype(dtype)


@pytest.mark.parametrize("big_endian", [False, True])
@pytest.mark.parametrize("interleave", AXES)
@pytest.mark.parametrize("dtype", CODES)
def test_every_type_and_order_is_read(
    dtype: str, interleave: str, big_endian: bool, tmp_path: Path
) -> None:
    cube = cube_of(dtype)
    path = write_envi(
        tmp_path / "a.hdr", cube, interleave=interleave, big_endian=big_endian, offset=7
    )
    scene = open_scene(path)
    assert (scene.name, scene.source.dtype.name) == ("a", dtype)
    np.testing.assert_array_equal(scene.read(), cube)


@pytest.mark.parametrize("name", ["a", "a.img", "A.BSQ", "a.raw", "a.dat"])
def test_the_data_are_found_beside_the_header(name: str, tmp_path: Path) -> None:
    write_envi(tmp_path / "a.hdr", cube_of(), data=name)
    np.testing.assert_array_equal(open_scene(tmp_path / "a.hdr").read(), cube_of())


@pytest.mark.parametrize("name", ["a", "a.img", "a.dat", "a.bin"])
def test_the_data_can_be_named_instead(name: str, tmp_path: Path) -> None:
    write_envi(tmp_path / "a.hdr", cube_of(), data=name)
    np.testing.assert_array_equal(open_scene(tmp_path / name).read(), cube_of())


def test_a_header_may_be_named_after_the_data(tmp_path: Path) -> None:
    write_envi(tmp_path / "a.dat.hdr", cube_of(), data="a.dat")
    for name in ("a.dat.hdr", "a.dat"):
        np.testing.assert_array_equal(open_scene(tmp_path / name).read(), cube_of())


def test_what_the_header_says_reaches_the_scene(tmp_path: Path) -> None:
    scene = open_scene(write_envi(tmp_path / "a.hdr", cube_of(), more=MORE))
    assert scene.wavelengths_nm is not None
    np.testing.assert_allclose(scene.wavelengths_nm, [450, 550, 1400])
    assert scene.good_bands is not None
    assert scene.good_bands.tolist() == [True, True, False]
    assert scene.nodata == -99
    assert scene.georeference is not None
    assert scene.georeference.transform == TEN_METRES
    assert "Transverse_Mercator" in scene.georeference.crs


def test_a_scale_factor_makes_reflectance_and_nodata_stays(tmp_path: Path) -> None:
    cube = cube_of()
    cube[1, 2] = -99
    more = f"{MORE}reflectance scale factor = 10000\ndata units = Reflectance\n"
    scene = open_scene(write_envi(tmp_path / "a.hdr", cube, more=more))
    assert (scene.source.dtype.name, scene.unit) == ("float32", "Reflectance")
    values = scene.read()
    np.testing.assert_array_equal(values[3, 4], cube[3, 4].astype("float32") * np.float32(1e-4))
    assert values[1, 2].tolist() == [-99] * 3
    assert np.argwhere(~scene.measured(values)).tolist() == [[1, 2]]


def test_gains_and_offsets_of_bands_are_applied(tmp_path: Path) -> None:
    more = "data gain values = {0.5, 0.5, 2}\ndata offset values = {1, 0, 0}\n"
    values = open_scene(write_envi(tmp_path / "a.hdr", cube_of(), more=more)).read()
    assert values[0, 1].tolist() == [3 / 2 + 1, 4 / 2, 5 * 2]


def test_complex_numbers_are_refused(tmp_path: Path) -> None:
    path = write_envi(tmp_path / "a.hdr", cube_of().astype("complex64"))
    with pytest.raises(InvalidInputError, match=r"holds: a \(4, 5, 3\) complex64$"):
        open_scene(path)


def test_labels_are_read_by_their_header(tmp_path: Path) -> None:
    codes = np.array([[0, 1], [2, 2]], dtype=np.uint8)
    path = write_envi(tmp_path / "gt.hdr", codes[..., None])
    np.testing.assert_array_equal(open_labels(path).codes, codes)


def test_a_header_without_data_says_what_is_missing(tmp_path: Path) -> None:
    path = write_envi(tmp_path / "a.hdr", cube_of(), data="elsewhere")
    with pytest.raises(MissingFileError) as refusal:
        open_scene(path)
    assert str(refusal.value) == (
        f"an ENVI header needs its data beside it, '{path}' has none of a, a.img, a.bsq, a.bil, "
        "a.bip, a.dat, a.raw, a.envi; put both files into one folder"
    )


def test_data_without_a_header_say_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "a.bil").write_bytes(b"0" * 100)
    with pytest.raises(UnreadableFileError) as refusal:
        open_scene(tmp_path / "a.bil")
    assert str(refusal.value) == (
        f"'{tmp_path / 'a.bil'}' must have an ENVI header beside it, there is neither 'a.hdr' nor "
        "'a.bil.hdr'; copy the header too, or rename the file if it is of another kind"
    )
