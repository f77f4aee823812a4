"""Opening files: which reader, which array, and what is said when it is not clear."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest
from scipy.io import savemat

from pdml.errors import (
    InvalidInputError,
    MissingFileError,
    PdmlError,
    UnknownNameError,
    UnreadableFileError,
)
from pdml.scenes.open import open_labels, open_scene, readable_suffixes, reader_for

CUBE = np.arange(4 * 5 * 3, dtype=np.uint16).reshape(4, 5, 3)
LABELS = np.arange(20, dtype=np.uint8).reshape(4, 5) % 4


def test_the_only_cube_and_the_only_label_map_of_a_file_are_found(tmp_path: Path) -> None:
    path = tmp_path / "both.mat"
    savemat(path, {"cube": CUBE, "gt": LABELS, "note": "text", "bands": np.arange(3.0)})
    np.testing.assert_array_equal(open_scene(path).read(), CUBE)
    np.testing.assert_array_equal(open_labels(path).codes, LABELS)


def test_several_candidates_are_all_named_with_the_option(tmp_path: Path) -> None:
    path = tmp_path / "two.mat"
    savemat(path, {"first": CUBE, "second": CUBE[:, :, :2]})
    message = r"got 2: first \(4, 5, 3\), second \(4, 5, 2\); choose with --key NAME .* key=\"first"
    with pytest.raises(InvalidInputError, match=message):
        open_scene(path)
    np.testing.assert_array_equal(open_scene(path, key="second").read(), CUBE[:, :, :2])


def test_a_key_that_is_not_there_gets_the_nearest_one(tmp_path: Path) -> None:
    path = tmp_path / "one.npz"
    np.savez(path, reflectance=CUBE)
    with pytest.raises(UnknownNameError, match=r"array in 'one.npz' 'reflektance'; did you mean"):
        open_scene(path, key="reflektance")


def test_a_key_of_another_rank_is_refused_with_what_the_file_holds(tmp_path: Path) -> None:
    path = tmp_path / "both.npz"
    np.savez(path, cube=CUBE, gt=LABELS)
    message = r"must be a cube .* got uint8 of shape \(4, 5\); the file holds: cube \(4, 5, 3\)"
    with pytest.raises(InvalidInputError, match=message):
        open_scene(path, key="gt")


def test_a_file_without_a_cube_lists_what_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "flat.npy"
    np.save(path, LABELS)
    message = r"must hold a cube .* none is there; the file holds: flat \(4, 5\) uint8"
    with pytest.raises(InvalidInputError, match=message):
        open_scene(path)


def test_an_empty_archive_is_said_to_be_empty(tmp_path: Path) -> None:
    path = tmp_path / "empty.npz"
    np.savez(path)
    with pytest.raises(InvalidInputError, match="the file holds no arrays"):
        open_scene(path)


@pytest.mark.parametrize("line", [np.ones((1, 9)), np.ones((9, 1))])
def test_a_line_of_values_is_no_label_map(tmp_path: Path, line: np.ndarray) -> None:
    path = tmp_path / "line.mat"
    savemat(path, {"labels": line})
    with pytest.raises(InvalidInputError, match="must hold a label map"):
        open_labels(path)


def test_labels_in_a_single_band_image_are_labels(tmp_path: Path) -> None:
    path = tmp_path / "band.npy"
    np.save(path, LABELS[:, :, None])
    np.testing.assert_array_equal(open_labels(path).codes, LABELS)


def test_labels_stored_as_doubles_are_labels(tmp_path: Path) -> None:
    path = tmp_path / "gt.mat"
    savemat(path, {"gt": LABELS.astype(float)})
    labels = open_labels(path, class_names=("a", "b", "c"), colours=("#000000",) * 3)
    np.testing.assert_array_equal(labels.codes, LABELS)
    assert (labels.class_names, len(labels.colours)) == (("a", "b", "c"), 3)


def test_labels_in_a_version_4_file_are_read(tmp_path: Path) -> None:
    path = tmp_path / "old.mat"
    savemat(path, {"gt": LABELS}, format="4")
    np.testing.assert_array_equal(open_labels(path).codes, LABELS)


def test_text_in_a_version_7_3_file_is_no_candidate(tmp_path: Path) -> None:
    path = tmp_path / "text.mat"
    with h5py.File(path, "w") as file:
        file.create_dataset("gt", data=LABELS.T)
        text = file.create_dataset("note", data=np.full((7, 2), 65, dtype=np.uint16))
        text.attrs["MATLAB_class"] = np.bytes_("char")
    np.testing.assert_array_equal(open_labels(path).codes, LABELS)


def test_nodata_is_kept_with_the_scene(tmp_path: Path) -> None:
    path = tmp_path / "cube.npy"
    np.save(path, CUBE)
    assert open_scene(path).nodata is None
    assert open_scene(path, nodata=0).nodata == 0


def test_a_missing_file_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"scene.mat' must be a file, but there is none"):
        open_scene(tmp_path / "scene.mat")


def test_an_unknown_suffix_lists_those_that_are_known(tmp_path: Path) -> None:
    path = tmp_path / "scene.doc"
    path.write_bytes(b"")
    with pytest.raises(InvalidInputError, match=r"\.mat, .*\.npy, .*\.tif.*got '\.doc'"):
        open_scene(path)


def test_suffixes_are_read_in_any_case() -> None:
    assert type(reader_for(Path("A.MAT"))) is type(reader_for(Path("a.mat")))
    assert readable_suffixes()[".mat"] == "mat"


def test_an_array_of_objects_is_never_unpickled(tmp_path: Path) -> None:
    path = tmp_path / "objects.npy"
    np.save(path, np.full((2, 2, 2), {}, dtype=object), allow_pickle=True)
    with pytest.raises(UnreadableFileError, match=r"complete \.npy file, but reading it failed"):
        open_scene(path)


def test_an_error_of_a_file_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "noise.mat"
    path.write_bytes(bytes(range(256)) * 3)
    with pytest.raises(PdmlError) as caught:
        open_scene(path)
    assert "\n" not in str(caught.value)
