"""Bad input to `pdml train`: one line that says what to do, exit 2, no folder left behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.conftest import TINY, Cli
from tests.scenes.geodata import field, write_cube, write_features

FIELD = ("field.npy", "--labels", "gt.npy")


def _cube(change: Callable[[np.ndarray], None]) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        cube = np.load(folder / "field.npy")
        change(cube)
        np.save(folder / "field.npy", cube)

    return spoil


def _labels(make: Callable[[np.ndarray], np.ndarray]) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        np.save(folder / "gt.npy", make(np.load(folder / "gt.npy")))

    return spoil


def _keep(number: int, n_pixels: int) -> Callable[[np.ndarray], np.ndarray]:
    """Labels in which a class has only some pixels."""

    def make(labels: np.ndarray) -> np.ndarray:
        flat = labels.ravel().copy()
        flat[np.flatnonzero(flat == number)[n_pixels:]] = 0
        return flat.reshape(labels.shape)

    return make


def _nan_band(cube: np.ndarray) -> None:
    cube[2, 3, 7] = np.nan


def _infinite_pixel(cube: np.ndarray) -> None:
    cube[0, 0] = np.inf


def _constant_bands(cube: np.ndarray) -> None:
    cube[..., [4, 9]] = 1.5


def _nothing_measured(cube: np.ndarray) -> None:
    cube[np.arange(16) != 10] = -1  # the row between the second and the third class


def _draw_fields(folder: Path) -> None:
    fields: dict[str, list[object]] = {"crop": ["rye", "oats"], "farm": ["a", "b"]}
    write_features(folder / "fields.gpkg", [field(0, 0, 2, 2), field(4, 4, 2, 2)], fields)


def _raster(**known: Any) -> Callable[[Path], None]:
    """The scene as GeoTIFF, and two fields drawn at its place."""

    def write(folder: Path) -> None:
        write_cube(folder / "field.tif", np.load(folder / "field.npy"), **known)
        _draw_fields(folder)

    return write


def _fields_elsewhere(folder: Path) -> None:
    _raster()(folder)
    write_features(folder / "fields.gpkg", [field(900, 0, 5, 5)], {"crop": ["rye"]})


def _no_raster(folder: Path) -> None:
    (folder / "field.tif").write_text("no raster" * 50)


def _flat_cube(folder: Path) -> None:
    np.save(folder / "field.npy", np.ones((16, 16)))


def _two_cubes(folder: Path) -> None:
    cube = np.load(folder / "field.npy")
    np.savez(folder / "field.npz", raw=cube, clean=cube)


def _truncated_scene(folder: Path) -> None:
    whole = (folder / "field.npy").read_bytes()
    (folder / "field.npy").write_bytes(whole[: len(whole) // 2])


CASES: dict[str, tuple[Callable[[Path], None] | None, tuple[str, ...], str]] = {
    "missing scene": (None, ("feld.npy",), "there is no file feld.npy; check the path"),
    "missing labels": (
        None,
        ("field.npy", "--labels", "none.npy"),
        "'none.npy' must be a file, but there is none",
    ),
    "no labels": (None, ("field.npy",), "training needs labels for 'field', got none; name the"),
    "misspelt dataset": (None, ("indian_pine",), "did you mean 'indian_pines'?"),
    "no cube": (_flat_cube, FIELD, "must hold a cube (row, col, band), but none is there"),
    "several cubes": (
        _two_cubes,
        ("field.npz", "--labels", "gt.npy"),
        "got 2: raw (16, 16, 20), clean (16, 16, 20); choose with --key NAME",
    ),
    "unknown key": (_two_cubes, ("field.npz", "--key", "cleen"), "did you mean 'clean'?"),
    "truncated scene": (_truncated_scene, FIELD, "it may be truncated or of another kind"),
    "labels of another size": (
        _labels(lambda labels: labels[:, :12]),
        FIELD,
        "the scene is 16 x 16 pixels, the labels are 16 x 12",
    ),
    "negative labels": (
        _labels(lambda labels: labels.astype(int) - 1),
        FIELD,
        "labels must be whole numbers from 0, got -1",
    ),
    "fractional labels": (
        _labels(lambda labels: labels * 0.5),
        FIELD,
        "labels must be whole numbers from 0, got 0.5",
    ),
    "class too small": (
        _labels(_keep(2, 7)),
        (*FIELD, "--train-per-class", "10"),
        "(10 to train, 5 to validate, 1 to test), but 'class 2' has 7; ask for fewer",
    ),
    "class absent": (
        _labels(_keep(2, 0)),
        FIELD,
        "every class needs a training pixel, got no labelled pixel of class 2",
    ),
    "NaN band": (_cube(_nan_band), FIELD, "band 7 (counted from 0) holds NaN or infinite values"),
    "infinite pixel": (_cube(_infinite_pixel), FIELD, "in 1 pixels; mark missing pixels with"),
    "constant bands": (
        _cube(_constant_bands),
        FIELD,
        "bands 4 and 9 (counted from 0) have the same value in all pixels",
    ),
    "even patch": (None, (*FIELD, "--set", "patch_size=4"), "patch_size must be odd"),
    "patch larger than the scene": (
        None,
        (*FIELD, "--set", "patch_size=17"),
        "the patch is 17 x 17 pixels, the scene 16 x 16",
    ),
    "unknown recipe": (None, (*FIELD, "--recipe", "papper"), "did you mean 'paper'?"),
    "unknown recipe key": (
        None,
        (*FIELD, "--set", "learnig_rate=1"),
        "unknown recipe key 'learnig_rate'; did you mean 'learning_rate'?",
    ),
    "unknown recipe value": (
        None,
        (*FIELD, "--set", "optimiser=adamv"),
        "unknown value of optimiser 'adamv'; did you mean 'adamw'?",
    ),
    "value of a wrong type": (None, (*FIELD, "--set", "epochs=ten"), "epochs must be of type int"),
    "setting without a value": (None, (*FIELD, "--set", "epochs"), "--set must be KEY=VALUE"),
    "unknown backbone": (
        None,
        (*FIELD, "--set", "backbone=ssrm", "--set", "backbone_options={}"),
        "unknown backbone 'ssrm'; did you mean 'ssrn'?",
    ),
    "unknown loss": (None, (*FIELD, "--set", "metric=tripled"), "did you mean 'triplet'?"),
    "unknown attention": (
        None,
        (*FIELD, "--set", "attention=no"),
        "unknown attention 'no'; did you mean 'none'?",
    ),
    "more components than bands": (
        None,
        (*FIELD, "--set", "n_components=99"),
        "n_components must be at most the number of bands, got 99 for",
    ),
    "a network that leaves no centre": (
        None,
        (*FIELD, "--set", "backbone=dffn", "--set", "backbone_options={}"),
        "laps and the centre's mean need a map with a centre pixel",
    ),
    "unknown option of a backbone": (
        None,
        (*FIELD, "--set", "backbone_options={n_kernel = 4}"),
        "did you mean 'n_kernels'?",
    ),
    "option of a backbone of a wrong type": (
        None,
        (*FIELD, "--set", 'backbone_options={n_kernels = "four"}'),
        "the recipe must describe a network that can be built",
    ),
    "unknown option of a loss": (
        None,
        (*FIELD, "--set", "metric_options={margin = 1}"),
        "unknown option of probabilistic_contrastive 'margin'; known: balance",
    ),
    "unknown split": (None, (*FIELD, "--split", "block"), "did you mean 'blocks'?"),
    "option of another split": (
        None,
        (*FIELD, "--split", "random", "--block-pixels", "4"),
        "unknown option of the split 'random' 'block_pixels'",
    ),
    "no published labels": (
        None,
        (*FIELD, "--split", "published"),
        "name them with --train-labels FILE and --test-labels FILE",
    ),
    "unknown device": (None, (*FIELD, "--device", "gpu"), "unknown device 'gpu'"),
    "polygons on a scene without a place": (
        _draw_fields,
        ("field.npy", "--labels", "fields.gpkg", "--class-field", "crop"),
        "polygons and points need a scene that says where its pixels are, 'field' does not",
    ),
    "polygons on a raster without a CRS": (
        _raster(crs=None),
        ("field.tif", "--labels", "fields.gpkg", "--class-field", "crop"),
        "polygons and points need a scene with a CRS, 'field' has none; say which one it is in: "
        "--crs EPSG:32633 on the command line",
    ),
    "polygons elsewhere": (
        _fields_elsewhere,
        ("field.tif", "--labels", "fields.gpkg", "--class-field", "crop"),
        "polygons must lie in the scene, but all of fields.gpkg miss it: in EPSG:32633 they are at "
        "x 500000 to 500050, y 4990950 to 4991000, the scene is at x 500000 to 500160, y 4999840 "
        "to 5000000; check that both belong together and that each has its right CRS",
    ),
    "a file that GDAL cannot read": (
        _no_raster,
        ("field.tif", "--labels", "gt.npy"),
        "'field.tif' must be a complete .tif file, but reading it failed",
    ),
    "class field that is absent": (
        _draw_fields,
        ("field.npy", "--labels", "fields.gpkg", "--class-field", "corp"),
        "fields.gpkg' has no field 'corp'; its fields are: crop, farm; name one of them with",
    ),
    "class field of an array": (
        None,
        (*FIELD, "--class-field", "crop"),
        "a class field and a layer belong to polygons and points",
    ),
    "CRS of a scene without a place": (
        None,
        (*FIELD, "--crs", "EPSG:32633"),
        "a CRS says in which plane the pixels of 'field' lie, but its file does not say where",
    ),
    "too few polygons": (
        None,
        (*FIELD, "--split", "polygons"),
        "needs at least 3 polygons of each class (1 to train, 1 to validate, 1 to test), but "
        "'class 1' has 1, 'class 2' has 1, 'class 3' has 1; draw more, or try --validation 0",
    ),
    "labels on nodata alone": (
        _cube(_nothing_measured),
        (*FIELD, "--nodata", "-1"),
        "labels must lie where 'field' was measured, but all 240 labelled pixels hold its nodata "
        "value -1",
    ),
    "share out of range": (None, (*FIELD, "--train", "20"), "train is a share and must be above 0"),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_input_is_refused_in_one_line_and_nothing_is_written(
    cli: Cli, place: Path, case: str
) -> None:
    spoil, args, message = CASES[case]
    if spoil:
        spoil(place)
    before = sorted(place.iterdir())
    outcome = cli("train", *TINY, *args, "--out", "run")
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert outcome.err.startswith("pdml: ")
    assert message in outcome.err
    assert sorted(place.iterdir()) == before


def test_a_folder_that_holds_a_run_is_refused(cli: Cli, own_run: Path) -> None:
    before = {file.name: file.read_bytes() for file in own_run.iterdir()}
    outcome = cli("train", *FIELD, *TINY, "--out", "run")
    assert outcome.code == 2
    assert outcome.err == (
        "pdml: run already holds a run; choose another --out, or --resume to go on with it\n"
    )
    assert {file.name: file.read_bytes() for file in own_run.iterdir()} == before


def test_a_file_in_place_of_the_folder_is_refused(cli: Cli, place: Path) -> None:
    (place / "run").write_text("mine")
    outcome = cli("train", *FIELD, *TINY, "--out", "run")
    assert outcome.code == 2
    assert "cannot make the folder run" in outcome.err
    assert (place / "run").read_text() == "mine"


def test_missing_pixels_are_handled_once_they_are_named(cli: Cli, place: Path) -> None:
    _cube(_nan_band)(place)
    outcome = cli(
        "train", *FIELD, *TINY, "--epochs", "1", "--nodata", "nan", "--out", "run", "--seed", "1"
    )
    assert (outcome.code, outcome.err) == (0, "")
    with np.load(place / "run" / "map.npz") as stored:
        assert not stored["measured"][2, 3]
        assert stored["measured"].sum() == 255
