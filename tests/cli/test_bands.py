"""Bands that a run leaves out are left out wherever its model is used."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.conftest import TINY, Cli, call, write_field
from tests.scenes.geodata import write_cube

WAVELENGTHS = np.linspace(1000, 1950, 20)
DROPPED = [3, 7, 8, 9, *range(16, 20)]  # 1350 to 1450 nm; 1800 nm and more
OPTION = "3,water"


def write_tif(path: Path, *, off_nm: float = 0.0, n_bands: int = 20) -> None:
    """The field with wavelengths, and NaN in bands that are to be left out."""

    def describe(file: Any) -> None:
        for band, nm in enumerate(WAVELENGTHS[:n_bands], start=1):
            file.update_tags(band, wavelength=str(nm + off_nm), wavelength_units="nm")

    cube = np.load(path.parent / "field.npy")[..., :n_bands]
    cube[..., 3] = np.nan
    write_cube(path, cube, describe=describe)


@pytest.fixture(scope="module")
def run_of_some(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("some")
    write_field(folder)
    write_tif(folder / "field.tif")
    files = folder / "field.tif", "--labels", folder / "gt.npy"
    assert (
        call(
            "train", *files, "--drop-bands", OPTION, "--epochs", "1", *TINY, "--out", folder / "run"
        )
        == 0
    )
    return folder / "run"


@pytest.fixture
def own(run_of_some: Path, place: Path) -> Path:
    write_tif(place / "field.tif")
    return Path(shutil.copytree(run_of_some, place / "run"))


def test_the_run_remembers_them(cli: Cli, own: Path) -> None:
    origin = json.loads((own / "run.json").read_text())
    assert (origin["bands"], origin["drop_bands"]) == (None, OPTION)
    expected = json.loads((own / "model.json").read_text())["expected"]
    left = [band for band in range(20) if band not in DROPPED]
    assert (expected["bands"], expected["n_in_file"]) == (left, 20)
    assert expected["wavelengths_nm"] == WAVELENGTHS[left].tolist()


def test_a_map_uses_those_that_are_left(cli: Cli, own: Path, place: Path) -> None:
    outcome = cli("map", "run", "field.tif", "-o", "map.npz")
    assert (outcome.code, outcome.err) == (0, "")
    with np.load("map.npz") as made, np.load(own / "map.npz") as of_run:
        np.testing.assert_array_equal(made["probability"], of_run["probability"])
    assert cli("map", "run", "-o", "again.npz").code == 0
    assert (place / "map.npz").read_bytes() == (place / "again.npz").read_bytes()


@pytest.mark.parametrize("command", ["evaluate", "report"])
def test_what_is_done_with_the_run_uses_them_too(cli: Cli, own: Path, command: str) -> None:
    outcome = cli(command, "run")
    assert (outcome.code, outcome.err) == (0, "")


def test_another_sensor_is_refused_with_what_differs(cli: Cli, own: Path, place: Path) -> None:
    write_tif(place / "other.tif", off_nm=12)
    outcome = cli("map", "run", "other.tif", "-o", "map.tif")
    assert outcome.code == 2
    assert outcome.err == (
        "pdml: the scene must have the bands that the model was trained on: 12 of its 12 lie "
        "elsewhere in 'other', which has 20: 1000 nm (1012 nm in the scene, 12 nm off), 1050 nm "
        "(1062 nm in the scene, 12 nm off), 1100 nm (1112 nm in the scene, 12 nm off), 1200 nm "
        "(1212 nm in the scene, 12 nm off), 1250 nm (1262 nm in the scene, 12 nm off) and 7 more; "
        "map a scene of the same sensor, or train anew\n"
    )
    assert not (place / "map.tif").exists()


def test_a_file_that_was_cut_shorter_still_has_them(cli: Cli, own: Path, place: Path) -> None:
    write_tif(place / "shorter.tif", n_bands=16)
    assert cli("map", "run", "shorter.tif", "-o", "shorter.npz").code == 0
    assert cli("map", "run", "field.tif", "-o", "map.npz").code == 0
    assert (place / "map.npz").read_bytes() == (place / "shorter.npz").read_bytes()


def test_the_beginning_of_a_run_says_which(cli: Cli, place: Path) -> None:
    write_tif(place / "field.tif")
    files = "field.tif", "--labels", "gt.npy", "--drop-bands", OPTION
    outcome = cli("train", *files, *TINY, "--epochs", "1", "--out", "run")
    assert "12 of 20 bands are used; left out: 3,7-9,16-19 (counted from 0).\n" in outcome.out
    outcome = cli("train", *files[:3], "--bands", "0-9", "--resume", "--out", "run")
    assert "a run is resumed as it was started: bands was None, now it is '0-9'" in outcome.err


def test_info_shows_what_would_be_left(cli: Cli, place: Path) -> None:
    write_tif(place / "field.tif")
    outcome = cli("info", "field.tif", "--drop-bands", OPTION, "--json")
    facts = json.loads(outcome.out)
    assert (facts["bands"], facts["bands_left_out"]) == (12, DROPPED)
    assert [one["band"] for one in facts["statistics"]] == [
        band for band in range(20) if band not in DROPPED
    ]
    shown = cli("info", "field.tif", "--drop-bands", OPTION).out
    assert "size: 16 x 16 pixels, 12 of 20 bands\nleft out: bands 3,7-9,16-19\n" in shown


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("red", "--drop-bands must name bands by numbers from 0"),
        ("20", "--drop-bands must name bands from 0 to 19 of 'field'"),
        ("bad", "--drop-bands bad needs a file that says which bands are bad"),
        ("0-19", "at least one band must be left"),
    ],
)
def test_what_names_no_bands_is_refused(cli: Cli, place: Path, option: str, message: str) -> None:
    write_tif(place / "field.tif")
    outcome = cli("train", "field.tif", "--labels", "gt.npy", "--drop-bands", option, "--out", "r")
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert message in outcome.err
    assert not (place / "r").exists()


def test_without_the_option_the_message_names_it(cli: Cli, place: Path) -> None:
    write_tif(place / "field.tif")
    outcome = cli("train", "field.tif", "--labels", "gt.npy", *TINY, "--out", "r")
    assert "or leave the bands out with --drop-bands 3\n" in outcome.err
