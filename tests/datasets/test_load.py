"""Loading by name: the real Indian Pines, and a tiny dataset in every place it may lie."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from pdml.datasets.card import Card, DataFile
from pdml.datasets.load import fetch_dataset, load_card, load_dataset
from pdml.errors import InvalidInputError, MissingFileError, UnknownNameError, UnreadableFileError

WriteFiles = Callable[[Path], None]


def test_indian_pines_is_there_without_a_download() -> None:
    data = load_dataset("indian_pines", download=False)
    assert data.scene.shape == (145, 145, 200)
    assert data.scene.source.dtype == np.uint16
    assert data.labels.counts.tolist() == [
        *(46, 1428, 830, 237, 483, 730, 28, 478, 20, 972, 2455, 593, 205, 1265, 386, 93)
    ]
    assert data.labels.class_names[0] == "Alfalfa"
    assert data.labels.class_names[15] == "Stone-Steel-Towers"
    assert data.scene.name == "indian_pines"
    assert (data.train, data.test) == (None, None)
    # Vegetation is dark in the red and bright in the near infrared: rows, columns and bands are
    # where they should be.
    woods = data.scene.read()[data.labels.codes == 14].mean(axis=0)
    assert woods[40] > 1.2 * woods[28]


def test_fetching_gives_the_files_that_are_opened() -> None:
    assert [path.name for path in fetch_dataset("indian_pines")] == [
        "Indian_pines_corrected.npy",
        "Indian_pines_gt.npy",
    ]


def test_an_unknown_dataset_gets_the_nearest_name() -> None:
    with pytest.raises(UnknownNameError, match="unknown dataset 'indianpines'; did you mean"):
        load_dataset("indianpines")


@pytest.mark.parametrize("sub", ["", "tiny"])
def test_files_in_the_users_folder_are_found(
    card: Card,
    write_files: WriteFiles,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    sub: str,
) -> None:
    write_files(tmp_path / "mine" / sub)
    monkeypatch.setenv("PDML_DATA", str(tmp_path / "mine"))
    data = load_card(card)
    assert data.labels.counts.tolist() == [5, 3, 8]
    assert data.labels.colours == card.colours
    assert data.scene.about["sensor"] == "none"
    assert not (tmp_path / "mine" / sub / "checksums.json").exists()
    assert load_card(card, data_dir=tmp_path / "mine").paths == data.paths


def test_the_users_folder_goes_before_the_package_and_the_cache(
    card: Card, write_files: WriteFiles, cache: Path, tmp_path: Path
) -> None:
    carried = tuple(replace(f, installed=("pdml", "py.typed")) for f in card.files)
    write_files(tmp_path / "mine")
    write_files(cache / "tiny")
    data = load_card(replace(card, files=carried), data_dir=tmp_path / "mine")
    assert data.paths == (tmp_path / "mine" / "tiny.mat", tmp_path / "mine" / "tiny_gt.mat")
    assert load_card(card).paths == (cache / "tiny" / "tiny.mat", cache / "tiny" / "tiny_gt.mat")


def test_what_is_nowhere_is_downloaded_once(served: Card, network: list[str]) -> None:
    first = load_card(served)
    assert network[:2] == ["http://gone.invalid/tiny.mat", "copy://tiny.mat"]
    n_asked = len(network)
    second = load_card(served)
    assert len(network) == n_asked
    np.testing.assert_array_equal(first.scene.read(), second.scene.read())


def test_a_download_that_changed_later_is_refused(
    served: Card, network: list[str], cache: Path
) -> None:
    load_card(served)
    path = cache / "tiny" / "tiny.mat"
    path.write_bytes(path.read_bytes() + b"\0")
    with pytest.raises(UnreadableFileError, match=r"tiny.mat' must have the checksum of its first"):
        load_card(served)


def test_a_download_that_is_something_else_is_not_kept(
    served: Card, network: list[str], cache: Path, tmp_path: Path
) -> None:
    (tmp_path / "server" / "tiny.mat").write_text("<html>moved</html>" * 30, encoding="utf-8")
    with pytest.raises(UnreadableFileError, match=r"must be a complete \.mat file"):
        load_card(served)
    assert list((cache / "tiny").iterdir()) == []


def test_offline_the_error_says_where_was_looked_and_what_to_do(
    served: Card, network: list[str], cache: Path, tmp_path: Path
) -> None:
    offline = tuple(replace(file, urls=file.urls[:1]) for file in served.files)
    with pytest.raises(MissingFileError) as caught:
        load_card(replace(served, files=offline), data_dir=tmp_path / "mine")
    assert str(caught.value) == (
        f"tiny needs a file tiny.mat (cube), but it is not in '{tmp_path / 'mine'}', "
        f"'{cache / 'tiny'}' (http://gone.invalid/tiny.mat: no route to host); "
        "download tiny.mat by hand, put it into a folder and set PDML_DATA to that folder"
    )


def test_nothing_is_downloaded_when_it_is_not_allowed(served: Card, network: list[str]) -> None:
    with pytest.raises(MissingFileError, match="downloading was not allowed"):
        load_card(served, download=False)
    assert network == []


def test_houston_says_whom_to_ask() -> None:
    with pytest.raises(MissingFileError, match=r"needs a file houston\.mat or .*ask for the 2013"):
        load_dataset("houston2013")


def test_published_parts_make_up_the_labels_where_there_are_no_others(
    card: Card, tmp_path: Path
) -> None:
    train = np.zeros((6, 7), dtype=np.uint8)
    test = train.copy()
    train[0, :3], test[1, :3] = (1, 2, 3), (3, 3, 2)
    savemat(tmp_path / "tiny.mat", {"tiny": np.ones((6, 7, 4), dtype=np.uint16)})
    savemat(tmp_path / "parts.mat", {"tr": train, "te": test})
    parts = (
        card.files[0],
        DataFile("train", ("parts.mat",), keys=("tr",)),
        DataFile("test", ("parts.mat",), keys=("te",)),
    )
    counts = {"train": (1, 1, 1), "test": (0, 1, 2)}
    data = load_card(replace(card, files=parts, counts=counts), data_dir=tmp_path)  # type: ignore[arg-type]
    np.testing.assert_array_equal(data.labels.codes, train + test)
    assert data.train is not None
    np.testing.assert_array_equal(data.train.codes, train)
    assert [path.name for path in data.paths] == ["tiny.mat", "parts.mat"]


def test_published_maps_are_found_beside_the_labels_and_may_be_absent(
    card: Card, write_files: WriteFiles, tmp_path: Path
) -> None:
    optional = replace(card, files=(*card.files, DataFile("train", ("tr.npy",), required=False)))
    write_files(tmp_path)
    assert load_card(optional, data_dir=tmp_path).train is None
    codes = np.zeros((6, 7), dtype=np.uint8)
    codes[5, 6] = 2  # unlabelled in the label map; kept all the same
    np.save(tmp_path / "tr.npy", codes)
    train = load_card(optional, data_dir=tmp_path).train
    assert train is not None
    assert train.counts.tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"shape": (6, 7, 5)}, r"must be Tiny with a cube of \(6, 7, 5\), got \(6, 7, 4\)"),
        (
            {"counts": {"labels": (5, 4, 8)}},
            r"with 17 labelled pixels as published, got 3 \(not 4\) of 'soil'; give it as a path",
        ),
        (
            {"class_names": tuple("abcdefg"), "counts": {"labels": (1,) * 7}},
            r"got 5 \(not 1\) of 'a', .* of 'c' and 4 more classes",
        ),
    ],
)
def test_files_that_are_not_the_dataset_are_refused(
    card: Card,
    write_files: WriteFiles,
    tmp_path: Path,
    change: dict[str, tuple[int, ...]],
    message: str,
) -> None:
    write_files(tmp_path)
    with pytest.raises(UnreadableFileError, match=message):
        load_card(replace(card, **change), data_dir=tmp_path)  # type: ignore[arg-type]


def test_a_cube_of_fractions_is_not_a_cube_of_counts(
    card: Card, write_files: WriteFiles, tmp_path: Path
) -> None:
    write_files(tmp_path)
    savemat(tmp_path / "tiny.mat", {"tiny": np.full((6, 7, 4), 0.5)})
    with pytest.raises(UnreadableFileError, match="values like uint16, got float64"):
        load_card(card, data_dir=tmp_path)
    load_card(replace(card, dtype="float32"), data_dir=tmp_path)


def test_labels_of_another_size_are_refused(
    card: Card, write_files: WriteFiles, tmp_path: Path
) -> None:
    write_files(tmp_path)
    savemat(tmp_path / "tiny_gt.mat", {"tiny_gt": np.ones((7, 6))})
    with pytest.raises(UnreadableFileError, match=r"with labels of \(6, 7\), got \(7, 6\)"):
        load_card(card, data_dir=tmp_path)


def test_more_classes_than_the_dataset_has_are_refused(
    card: Card, write_files: WriteFiles, tmp_path: Path
) -> None:
    write_files(tmp_path)
    savemat(tmp_path / "tiny_gt.mat", {"tiny_gt": np.full((6, 7), 4)})
    with pytest.raises(InvalidInputError, match="labels go up to 4, got 3 names"):
        load_card(card, data_dir=tmp_path)
