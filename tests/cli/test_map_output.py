"""`pdml map` writes what its name says where it is told to, or one line and nothing at all."""

from __future__ import annotations

import json
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import rasterio
import zarr
from rasterio.errors import NotGeoreferencedWarning

from pdml.experiments import map_many
from tests.cli.conftest import Cli

SHAPE = (40, 30)


def write_scene(name: str, *, n_bands: int = 20, seed: int = 1) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, np.random.default_rng(seed).random((*SHAPE, n_bands), dtype=np.float32))


def left_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.filterwarnings("ignore::rasterio.errors.NotGeoreferencedWarning")
def test_a_geotiff_comes_with_its_confidence_and_legend(
    cli: Cli, finished_run: Path, place: Path
) -> None:
    write_scene("other.npy")
    outcome = cli("map", finished_run, "other.npy", "-o", "maps/m.tif", "--min-probability", "0.4")
    assert (outcome.code, outcome.err) == (0, "")
    assert "Map: maps/m.tif" in outcome.out
    assert left_in(place / "maps") == {"m.tif", "m.tif.aux.xml", "m.qml", "m_confidence.tif"}
    with rasterio.open("maps/m.tif") as file, rasterio.open("maps/m_confidence.tif") as doubts:
        classes, top = file.read(1), doubts.read(1)
        assert classes.shape == SHAPE
        np.testing.assert_array_equal(classes == 4, top < np.float32(0.4))
        assert file.tags()["min_probability"] == "0.4"
    assert NotGeoreferencedWarning


def test_a_zarr_is_replaced_only_on_request(cli: Cli, finished_run: Path, place: Path) -> None:
    assert cli("map", finished_run, "-o", "m.zarr").code == 0
    outcome = cli("map", finished_run, "-o", "m.zarr")
    assert (outcome.code, outcome.err) == (
        2,
        "pdml: m.zarr is there already; choose another name, or say --overwrite to replace it\n",
    )
    (place / "m.zarr" / "old").write_text("")
    assert cli("map", finished_run, "-o", "m.zarr", "--overwrite").code == 0
    assert not (place / "m.zarr" / "old").exists()
    assert zarr.open_array("m.zarr/classes", mode="r").shape == (16, 16)


def test_scenes_go_into_a_folder_under_their_names(
    cli: Cli, finished_run: Path, place: Path
) -> None:
    write_scene("a/one.npy")
    write_scene("two.npy", seed=2)
    outcome = cli("map", finished_run, "a/one.npy", "two.npy", "-o", "maps", "--format", "npz")
    assert (outcome.code, outcome.err) == (0, "")
    assert "scene 1 of 2 (a/one.npy)" in outcome.out
    assert "scene 2 of 2 (two.npy)" in outcome.out
    assert outcome.out.endswith("Map: maps/one.npz\nMap: maps/two.npz\n")
    assert left_in(place / "maps") == {"one.npz", "two.npz"}


@pytest.mark.parametrize("out", ["maps/", "maps", "there"])
def test_one_scene_goes_into_a_folder_as_geotiff(
    cli: Cli, finished_run: Path, place: Path, out: str
) -> None:
    (place / "there").mkdir()
    assert cli("map", finished_run, "field.npy", "-o", out).code == 0
    assert "field.tif" in left_in(place / out)


def test_several_maps_that_were_interrupted_are_gone_on_with(
    cli: Cli, finished_run: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_scene("one.npy")
    write_scene("two.npy", seed=2)
    command = ("map", finished_run, "one.npy", "two.npy", "-o", "maps", "--format", "npz")
    with monkeypatch.context() as patch:
        patch.setattr(map_many, "write_map", _interrupted_at("two.npz"))
        outcome = cli(*command)
    assert outcome.code == 130
    assert "pdml: interrupted; go on where it stopped with: pdml map " in outcome.err
    assert left_in(place / "maps") == {"one.npz", ".maps.part.json"}
    made = (place / "maps" / "one.npz").stat().st_mtime_ns
    outcome = cli(*command)
    assert (outcome.code, outcome.err) == (0, "")
    assert "one.npz is finished already" in outcome.out
    assert (place / "maps" / "one.npz").stat().st_mtime_ns == made
    assert left_in(place / "maps") == {"one.npz", "two.npz"}
    outcome = cli(*command)
    assert outcome.code == 2
    assert "one.npy: maps/one.npz is there already" in outcome.err


def _interrupted_at(name: str) -> Callable[..., None]:
    from pdml.experiments.map_run import write_map

    def write(bundle: object, subject: object, out: Path, **known: object) -> None:
        if out.name == name:
            raise KeyboardInterrupt
        write_map(bundle, subject, out, **known)  # type: ignore[arg-type]

    return write


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ["field.npy", "a/field.npy", "-o", "maps"],
            "scenes that are mapped into one folder must have different names, got field.npy and "
            "a/field.npy; rename one, or map it by itself with -o",
        ),
        (
            ["field.npy", "two.npy", "-o", "m.tif"],
            "several scenes are mapped into a folder, got the name of a file: 'm.tif'; give a "
            "folder: -o maps/",
        ),
        (
            ["field.npy", "narrow.npy", "-o", "maps"],
            "narrow.npy: the scene must have the bands that the model was trained on: the model "
            "has 20, the scene has 12; select the same bands or train anew",
        ),
        (
            ["-o", "m.tif", "--format", "png"],
            "the name of a map and --format must agree, got 'm.tif' and png; leave out --format, "
            "or change the name",
        ),
        (["-o", "m", "--format", "tiff"], "unknown format 'tiff'; did you mean 'tif'?"),
        (
            ["-o", "m.npz", "--cog"],
            "--cog is for GeoTIFF, but this map is written as npz; leave it out, or let the name "
            "end in .tif",
        ),
        (
            ["-o", "m.tif", "--min-probability", "60"],
            "--min-probability must be from 0 to 1, got 60; with 0.5 pixels are rejected whose "
            "class is less probable than all others together",
        ),
        (
            ["-o", "m.tif", "--memory", "lots"],
            "--memory must be an amount like 2GB, 800MB or 1.5GiB, got 'lots'",
        ),
        (
            ["-o", "m.tif", "--memory", "100MB"],
            "mapping with this model needs at least 600 MB of memory, got 100 MB; say --memory "
            "600MB or more",
        ),
        (
            ["long.npy", "-o", "m.npz", "--memory", "600MB"],
            "a map as .npz is made from the probabilities of all 3 classes of 2000000 pixels at "
            "once, which takes 644 MB of the 600 MB of --memory; write .tif or .zarr, or allow "
            "more memory",
        ),
        (
            ["-o", "gt.npy/m.tif"],
            "cannot write into gt.npy: File exists; choose another place with -o",
        ),
        (
            ["-o", "a.zarr"],
            "a.zarr must be the name of a map, but it is a folder of other things; choose another "
            "name",
        ),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line(
    cli: Cli, finished_run: Path, place: Path, args: list[str], message: str
) -> None:
    write_scene("a/field.npy")
    write_scene("two.npy")
    write_scene("narrow.npy", n_bands=12)
    (place / "a.zarr").mkdir()
    if "long.npy" in args:
        np.lib.format.open_memmap("long.npy", "w+", np.uint8, (20000, 100, 20))
    before = left_in(place)
    outcome = cli("map", finished_run, *args)
    assert (outcome.code, outcome.err) == (2, f"pdml: {message}\n")
    assert left_in(place) - {"maps"} == before
    assert not (place / "maps").exists() or not left_in(place / "maps")


def test_a_missing_package_is_named_before_any_work(
    cli: Cli, finished_run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "rasterio", None)
    outcome = cli("map", finished_run, "-o", "m.tif")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == (
        "pdml: this needs the package 'rasterio', which is not installed; try: pip install "
        "'pdml[geo]'\n"
    )


@contextmanager
def largest_file(n_bytes: int) -> Iterator[None]:
    """No file may be larger, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("n_bytes", [3_000, 6_000, 12_000])
@pytest.mark.parametrize("name", ["m.tif", "m.zarr", "m.npz"])
def test_a_disk_that_is_full_leaves_nothing_under_the_name_and_keeps_the_tiles(
    cli: Cli, finished_run: Path, place: Path, name: str, n_bytes: int
) -> None:
    write_scene("other.npy")
    command = ("map", finished_run, "other.npy", "-o", name, "--tile-pixels", "10")
    before = left_in(place)
    with largest_file(n_bytes):
        outcome = cli(*command)
    if outcome.code == 0:
        pytest.skip("this much is enough")
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert outcome.err.startswith("pdml: cannot write ")
    assert "free some space" in outcome.err
    assert left_in(place) - before == {f".{name}.part"}
    job = json.loads((place / f".{name}.part" / "job.json").read_text())
    assert job["options"]["tile"] == [10, 10]
    outcome = cli(*command)
    assert (outcome.code, outcome.err) == (0, "")
    assert f".{name}.part" not in left_in(place)


def test_the_help_shows_an_example(cli: Cli) -> None:
    outcome = cli("map", "--help")
    assert outcome.code == 0
    assert "pdml map runs/field other_field.tif -o other_field_map.tif" in outcome.out
    for option in ("--memory", "--min-probability", "--cog", "--format", "--overwrite"):
        assert option in outcome.out


def test_a_map_has_the_combined_score_and_those_that_are_asked_for(
    cli: Cli, finished_run: Path, place: Path
) -> None:
    asked = ("--score", "mismatch", "--score", "distance")
    assert cli("map", finished_run, "field.npy", "-o", "m.npz", *asked).code == 0
    with np.load("m.npz", allow_pickle=False) as stored:
        scores = {name for name in stored.files if name.startswith("score_")}
        assert scores == {"score_doubt", "score_mismatch", "score_distance"}
        assert (stored["score_mismatch"] >= 0).all()
    assert cli("map", finished_run, "field.npy", "-o", "m.zarr").code == 0
    layers = zarr.open_group("m.zarr", mode="r")
    assert "doubt" in layers
    assert "mismatch" not in layers
    assert str(layers["doubt"].attrs["long_name"]).startswith("all measures of doubt in one")


def test_a_score_that_does_not_exist_is_refused_before_anything_is_written(
    cli: Cli, finished_run: Path, place: Path
) -> None:
    outcome = cli("map", finished_run, "field.npy", "-o", "m.npz", "--score", "distanse")
    assert outcome.code == 2
    assert "unknown doubt 'distanse'" in outcome.err
    assert "distance" in outcome.err
    assert "m.npz" not in left_in(place)
