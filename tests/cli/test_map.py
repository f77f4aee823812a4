"""`pdml map`: a model and a scene become a file, or nothing at all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pdml.training.checkpoint import save_tensors
from tests.cli.conftest import Cli

PNG = b"\x89PNG"


def test_the_own_scene_is_mapped_like_in_the_run(cli: Cli, finished_run: Path, place: Path) -> None:
    outcome = cli("map", finished_run, "-o", "m.npz", "--tile-pixels", "6")
    assert (outcome.code, outcome.err) == (0, "")
    assert "256 of 256 pixels, " in outcome.out
    assert "Map: m.npz" in outcome.out
    with np.load(place / "m.npz") as new, np.load(finished_run / "map.npz") as old:
        np.testing.assert_array_equal(new["classes"], old["classes"])
        np.testing.assert_array_equal(new["probability"], old["probability"])


def test_another_scene_becomes_a_picture(cli: Cli, finished_run: Path, place: Path) -> None:
    np.save(place / "other.npy", np.random.default_rng(1).random((9, 12, 20), dtype=np.float32))
    outcome = cli("map", finished_run, "other.npy", "-o", "maps/other.PNG")
    assert (outcome.code, outcome.err) == (0, "")
    assert (place / "maps" / "other.PNG").read_bytes().startswith(PNG)


def test_a_map_that_is_there_is_replaced_only_on_request(
    cli: Cli, finished_run: Path, place: Path
) -> None:
    (place / "m.npz").write_text("mine")
    outcome = cli("map", finished_run, "-o", "m.npz")
    assert outcome.code == 2
    assert "m.npz is there already" in outcome.err
    assert "--overwrite to replace it" in outcome.err
    assert (place / "m.npz").read_text() == "mine"
    assert cli("map", finished_run, "-o", "m.npz", "--overwrite").code == 0
    with np.load(place / "m.npz") as stored:
        assert stored["classes"].shape == (16, 16)


def test_another_suffix_lists_those_that_work(cli: Cli, finished_run: Path) -> None:
    outcome = cli("map", finished_run, "-o", "m.jpg")
    assert outcome.code == 2
    assert "a map is written as one of .tif (" in outcome.err
    assert ".png (" in outcome.err
    assert "got 'm.jpg'; let the name end in one of these" in outcome.err


def _save(shape: tuple[int, int, int], *, broken: bool = False) -> None:
    cube = np.random.default_rng(2).random(shape, dtype=np.float32)
    if broken:
        cube[0, 0, 5] = np.nan
    np.save("other.npy", cube)


@pytest.mark.parametrize(
    ("shape", "broken", "message"),
    [
        ((16, 16, 12), False, "the model has 20, the scene has 12"),
        ((3, 16, 20), False, "the patch is 5 x 5 pixels, the scene 3 x 16"),
        ((16, 16, 20), True, "band 5 (counted from 0) holds NaN or infinite values in 1 pixels"),
    ],
)
def test_a_scene_that_does_not_fit_is_refused(
    cli: Cli,
    finished_run: Path,
    place: Path,
    shape: tuple[int, int, int],
    broken: bool,
    message: str,
) -> None:
    _save(shape, broken=broken)
    outcome = cli("map", finished_run, "other.npy", "-o", "m.npz")
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert message in outcome.err
    assert not (place / "m.npz").exists()


def test_nodata_handles_missing_pixels(cli: Cli, finished_run: Path, place: Path) -> None:
    _save((16, 16, 20), broken=True)
    assert cli("map", finished_run, "other.npy", "--nodata", "nan", "-o", "m.npz").code == 0
    with np.load(place / "m.npz") as stored:
        assert stored["classes"][0, 0] == 0
        assert (stored["classes"] > 0).sum() == 255


def _truncate(run: Path) -> None:
    model = run / "model.safetensors"
    model.write_bytes(model.read_bytes()[:-40])


def _of_another_model(run: Path) -> None:
    import torch

    save_tensors(run / "model.safetensors", {"weight": torch.zeros(3)}, {})


def _foreign(run: Path) -> None:
    (run / "model.json").write_text('{"model": "somebody else\'s"}')


def _absent(run: Path) -> None:
    (run / "model.json").unlink()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (_truncate, "must be a complete safetensors file"),
        (_of_another_model, "they are of another one"),
        (_foreign, "must describe a model that pdml wrote"),
        (_absent, "model.json is missing"),
    ],
)
def test_a_model_file_that_is_not_whole_is_refused(
    cli: Cli, own_run: Path, spoil: object, message: str
) -> None:
    assert callable(spoil)
    spoil(own_run)
    outcome = cli("map", own_run, "-o", "m.npz")
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert message in outcome.err
    assert not Path("m.npz").exists()


@pytest.mark.parametrize(
    ("name", "why"), [("nowhere", "there is no such folder"), (".", "run.json is missing")]
)
def test_a_folder_without_a_run_is_refused(cli: Cli, name: str, why: str) -> None:
    outcome = cli("map", name, "-o", "m.npz")
    assert outcome.code == 2
    assert f"{name} must be the folder of a run, but {why}" in outcome.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--tile-pixels", "0"], "a tile needs at least 1 pixel per side, got 0"),
        (["--device", "gpu"], "unknown device 'gpu'"),
        (["--precision", "16"], "unknown precision '16'"),
    ],
)
def test_an_unknown_way_of_mapping_is_refused(
    cli: Cli, finished_run: Path, options: list[str], message: str
) -> None:
    outcome = cli("map", finished_run, "-o", "m.npz", *options)
    assert outcome.code == 2
    assert message in outcome.err
