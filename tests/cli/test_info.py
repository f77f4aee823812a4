"""`pdml info` says what a scene is, in words or as JSON."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread
from rich.console import Console

from pdml.cli.thumbnail import HALF_BLOCK, half_blocks, shows_colours
from tests.cli.conftest import Cli
from tests.scenes.products import write_enmap

ENMAP = "ENMAP-SPECTRAL_IMAGE.TIF"


@pytest.fixture
def product(place: Path) -> Path:
    """An EnMAP product of 30 x 40 pixels and 26 bands, of which two are bad."""
    numbers = np.random.default_rng(0).integers(1, 9000, (30, 40, 26)).astype(np.int16)
    numbers[:3] = -32768
    write_enmap(place / ENMAP, numbers, unexpected=[5, 6])
    return place / ENMAP


def test_a_scene_is_described_in_words(cli: Cli, product: Path) -> None:
    outcome = cli("info", ENMAP)
    assert (outcome.code, outcome.err) == (0, "")
    for line in (
        "scene: ENMAP",
        "size: 30 x 40 pixels, 26 bands",
        "type: float32, 125 kB in all",
        "wavelengths: 418 to 2445 nm",
        "bad bands: 2: 4-5 (counted from 0)",
        "nodata: -32768, 10.0% of all pixels",
        "CRS: EPSG:32633",
        "pixel: 30 x 30 metre",
        "extent: x 600000 to 601200, y 5299100 to 5300000",
        "sensor: EnMAP",
        "pixels read for what follows: all",
        "9 of 26 bands; all of them with --all-bands or --json",
    ):
        assert f"{line}\n" in outcome.out
    assert HALF_BLOCK not in outcome.out  # nobody looks at a terminal


def test_all_bands_are_shown_on_request(cli: Cli, product: Path) -> None:
    table = cli("info", ENMAP, "--all-bands").out.partition("\nband")[2]
    assert [line.split()[0] for line in table.splitlines()[2:]] == [str(n) for n in range(26)]
    assert [line.split()[0] for line in table.splitlines() if line.endswith("bad")] == ["4", "5"]


def test_everything_is_there_as_json(cli: Cli, product: Path) -> None:
    outcome = cli("info", ENMAP, "--json")
    told = json.loads(outcome.out)
    assert (told["rows"], told["cols"], told["bands"], told["dtype"]) == (30, 40, 26, "float32")
    assert told["bytes"] == 30 * 40 * 26 * 4
    assert told["bad_bands"] == [4, 5]
    assert (told["nodata"], told["nodata_share"]) == (-32768, pytest.approx(0.1))
    assert (told["crs"], told["bounds"]) == ("EPSG:32633", [600_000, 5_299_100, 601_200, 5_300_000])
    assert (told["pixels_read"], told["all_pixels_read"]) == (1200, True)
    assert len(told["wavelengths_nm"]) == len(told["statistics"]) == 26
    assert 0 <= told["statistics"][3]["lowest"] < told["statistics"][3]["mean"] < 0.9


def test_nan_is_written_as_json_too(cli: Cli, place: Path) -> None:
    np.save("empty.npy", np.full((5, 5, 4), np.nan))
    told = json.loads(cli("info", "empty.npy", "--nodata", "nan", "--json").out)
    assert (told["nodata"], told["nodata_share"]) == ("nan", 1)
    assert told["statistics"][0]["mean"] is None
    told = json.loads(cli("info", "empty.npy", "--json").out)
    assert (told["nodata"], told["statistics"][0]["broken_share"]) == (None, 1)


def test_a_scene_without_a_place_says_so(cli: Cli) -> None:
    out = cli("info", "field.npy").out
    assert "wavelengths: not known\n" in out
    assert "bad bands: the file says nothing of them\n" in out
    assert "nodata: no value marks missing pixels\n" in out
    assert "CRS: none, and nothing says where the pixels are\n" in out


def test_a_public_scene_is_described_by_its_name(cli: Cli) -> None:
    out = cli("info", "indian_pines").out
    assert "size: 145 x 145 pixels, 200 bands\n" in out
    assert "sensor: AVIRIS, 1992\n" in out


def test_the_picture_is_written_pixel_by_pixel(cli: Cli, product: Path, place: Path) -> None:
    assert cli("info", ENMAP, "--picture", "look.png").code == 0
    picture = imread(place / "look.png")
    assert picture.shape[:2] == (30, 40)
    np.testing.assert_allclose(picture[:3, ..., :3], 0xCC / 255, atol=1e-6)  # not measured
    assert np.ptp(picture[3:, ..., :3]) == 1


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("nowhere.tif",), "there is no file nowhere.tif; check the path"),
        (("field.npy", "--picture", "look.jpg"), "let it end in .png"),
        (("broken.npy",), "it may be truncated or of another kind"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_one_line(
    cli: Cli, place: Path, args: tuple[str, ...], message: str
) -> None:
    (place / "broken.npy").write_bytes((place / "field.npy").read_bytes()[:500])
    outcome = cli("info", *args)
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert message in outcome.err


def test_a_character_shows_two_pixels() -> None:
    picture = np.zeros((2, 3, 3))
    picture[0, 1], picture[1, 2] = (1, 0, 0), (0, 0, 1)
    text = half_blocks(picture, width=80)
    assert text.plain == 3 * HALF_BLOCK
    styles = [str(span.style) for span in text.spans]
    assert styles == ["#000000 on #000000", "#ff0000 on #000000", "#000000 on #0000ff"]


def test_a_large_picture_fits_the_terminal_and_keeps_its_shape() -> None:
    lines = half_blocks(np.random.default_rng(0).random((200, 100, 3)), width=50).plain.split("\n")
    assert (len(lines), {len(line) for line in lines}) == (24, {24})
    wide = half_blocks(np.zeros((10, 300, 3)), width=50).plain.split("\n")
    assert (len(wide), {len(line) for line in wide}) == (1, {50})


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ({"force_terminal": True, "color_system": "truecolor"}, True),
        ({"force_terminal": True, "color_system": "standard"}, False),
        ({"force_terminal": True, "color_system": None}, False),
        ({"force_terminal": False}, False),
    ],
)
def test_a_picture_needs_a_terminal_with_colours(options: dict[str, object], shown: bool) -> None:
    file = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    assert shows_colours(Console(file=file, **options)) == shown  # type: ignore[arg-type]
