"""`pdml map --reject` shows what is like no class, or says in one line why it cannot."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import rasterio

from tests.cli.conftest import TINY, Cli

UNKNOWN = 5  # of three classes: after the rejected


@pytest.mark.filterwarnings("ignore::rasterio.errors.NotGeoreferencedWarning")
def test_strange_pixels_are_unknown_in_the_map_its_legend_and_the_summary(
    cli: Cli, finished_run: Path, place: Path
) -> None:
    cube = np.load("field.npy")
    cube[11:, 8:] = 40 * np.sin(np.arange(20))  # shaped like no class
    np.save("strange.npy", cube)
    outcome = cli(
        "map", finished_run, "strange.npy", "-o", "m.tif", "--reject", "--false-alarm", "0.1"
    )
    assert (outcome.code, outcome.err) == (0, "")
    with rasterio.open("m.tif") as file, rasterio.open("m_confidence.tif") as doubts:
        codes, tags = file.read(1), file.tags()
        assert file.colormap(1)[UNKNOWN] == (255, 0, 255, 255)
        score = doubts.read([*doubts.descriptions].index("unknown") + 1)
    np.testing.assert_array_equal(codes == UNKNOWN, score > float(tags["unknown_above"]))
    assert tags["false_alarm"] == "0.1"
    assert (codes[12:, 9:] == UNKNOWN).all()
    n_unknown = int((codes == UNKNOWN).sum())
    assert n_unknown < codes.size / 2
    assert f"unknown: {n_unknown} of 256 pixels" in outcome.out
    assert "like the validation pixels at most 10.0 % are expected" in " ".join(outcome.out.split())
    assert 'label="unknown"' in Path("m.qml").read_text(encoding="utf-8")
    assert "<Category>unknown</Category>" in Path("m.tif.aux.xml").read_text(encoding="utf-8")


def test_fewer_false_alarms_are_fewer_unknown_pixels(
    cli: Cli, finished_run: Path, place: Path
) -> None:
    found = []
    for rate in ("0.05", "0.3"):
        name = f"m{rate}.npz"
        outcome = cli("map", finished_run, "-o", name, "--reject", "--false-alarm", rate)
        assert outcome.code == 0
        with np.load(name) as stored:
            about = json.loads(str(stored["about"]))
            unknown = stored["score_unknown"] > about["unknown_above"]
            np.testing.assert_array_equal(stored["classes"] == UNKNOWN, unknown)
            found.append(int(unknown.sum()))
    assert found[0] < found[1]


def test_a_picture_has_the_unknown_in_its_legend(cli: Cli, finished_run: Path, place: Path) -> None:
    assert cli("map", finished_run, "-o", "plain.png").code == 0
    outcome = cli("map", finished_run, "-o", "m.png", "--reject", "--false-alarm", "0.3")
    assert outcome.code == 0
    assert Path("m.png").read_bytes() != Path("plain.png").read_bytes()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ["--false-alarm", "0.1"],
            "--false-alarm belongs to --reject, got --false-alarm 0.1 alone; add --reject, or "
            "leave it out",
        ),
        (
            ["--reject", "--false-alarm", "2"],
            "--false-alarm must be between 0 and 1, got 2; 0.05 takes one known pixel in twenty "
            "for unknown",
        ),
        (
            ["--reject", "--false-alarm", "0.01"],
            "--false-alarm 0.01 needs at least 99 validation pixels, this model had 24; allow more "
            "false alarms, or train with more validation pixels",
        ),
    ],
)
def test_a_rate_that_cannot_be_kept_is_one_line_and_nothing_is_written(
    cli: Cli, finished_run: Path, place: Path, args: list[str], message: str
) -> None:
    before = set(place.iterdir())
    outcome = cli("map", finished_run, "-o", "maps/m.tif", *args)
    assert (outcome.code, outcome.err) == (2, f"pdml: {message}\n")
    assert set(place.iterdir()) == before


def test_a_model_without_validation_pixels_is_one_line(cli: Cli, place: Path) -> None:
    trained = cli(
        "train", "field.npy", "--labels", "gt.npy", "--split", "random", "--validation", "0",
        "--epochs", "1", *TINY, "--out", "run",
    )  # fmt: skip
    assert trained.code == 0
    outcome = cli("map", "run", "-o", "m.tif", "--reject")
    assert (outcome.code, outcome.err) == (
        2,
        "pdml: --reject needs a threshold, which is fitted on validation pixels, and this model "
        "was trained without any; train again with --validation 0.1, or leave out --reject\n",
    )
    assert not Path("m.tif").exists()
