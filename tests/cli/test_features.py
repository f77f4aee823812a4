"""A network behind features of the whole scene, trained and mapped from the command line."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Cli

TRAIN = (
    "train", "field.npy", "--labels", "gt.npy", "--epochs", "1", "--device", "cpu", "--out", "run",
    "--set", "embedding_size=4", "--set", "precision=32", "--set", "patch_size=5",
)  # fmt: skip
PROFILES = ("--set", "features=profiles", "--set", "backbone=ecnn")
GABOR = ("--set", "features=gabor", "--set", "backbone=gcnn", "--set", "head_kernel=1")
OPTIONS = ("--set", "feature_options={ n_components = 2, area = [5, 20], diagonal = [] }")


@pytest.mark.parametrize(
    ("network", "n_channels"), [((*PROFILES, *OPTIONS), 2 * (1 + 2 * 10)), (GABOR, 27)]
)
def test_a_network_of_features_is_trained_scored_anew_and_maps_other_files_alike(
    cli: Cli, place: Path, network: tuple[str, ...], n_channels: int
) -> None:
    outcome = cli(*TRAIN, *network)
    assert (outcome.code, outcome.err) == (0, "")
    stored = json.loads((place / "run" / "model.json").read_text())
    assert stored["spec"]["n_bands"] == n_channels
    assert "sees features of the whole scene" in (place / "run" / "report.html").read_text()
    before = json.loads((place / "run" / "metrics.json").read_text())
    assert cli("evaluate", "run").code == 0
    again = json.loads((place / "run" / "metrics.json").read_text())
    assert again["oa"] == before["oa"]
    np.save(place / "copy.npy", np.load(place / "field.npy"))
    assert cli("map", "run", "copy.npy", "-o", "copy.npz", "--tile-pixels", "9").code == 0
    with np.load(place / "run" / "map.npz") as one, np.load(place / "copy.npz") as other:
        np.testing.assert_array_equal(one["classes"], other["classes"])
        np.testing.assert_array_equal(one["probability"], other["probability"])
    outcome = cli("map", "run", "copy.npy", "-o", "small.tif", "--memory", "400MB")
    assert outcome.code == 2
    assert outcome.err.startswith("pdml: features = '")
    assert "computed for the whole scene at once, which needs 600 MB of memory" in outcome.err
    np.save(place / "thin.npy", np.load(place / "field.npy")[..., :7])
    outcome = cli("map", "run", "thin.npy", "-o", "thin.npz")
    assert outcome.err == (
        "pdml: the scene must have the bands that the model was trained on: the model has 20, the "
        "scene has 7; select the same bands or train anew\n"
    )


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("features=profile", "unknown value of features 'profile'; did you mean 'profiles'?"),
        (
            "feature_options={ areas = [5] }",
            "unknown option of features 'profiles' 'areas'; did you mean 'area'?",
        ),
        (
            "feature_options={ n_components = 21 }",
            "n_components of feature_options must be at most the number of bands, got 21 for 20 "
            "bands; try n_components = 20",
        ),
        (
            "band_dropout=0.1",
            "band_dropout is for bands as they were measured, got band_dropout = 0.1 with "
            "features = 'profiles'; set band_dropout = 0",
        ),
    ],
)
def test_features_that_cannot_be_are_refused_and_nothing_is_written(
    cli: Cli, place: Path, setting: str, message: str
) -> None:
    before = sorted(place.iterdir())
    outcome = cli(*TRAIN, *PROFILES, "--set", setting)
    assert (outcome.code, outcome.err) == (2, f"pdml: {message}\n")
    assert sorted(place.iterdir()) == before


def test_a_missing_extra_is_named_before_anything_is_written(
    cli: Cli, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "higra", None)
    before = sorted(place.iterdir())
    outcome = cli(*TRAIN, *PROFILES)
    assert outcome.code == 2
    assert outcome.err == (
        "pdml: this needs the package 'higra', which is not installed; "
        "try: pip install 'pdml[baselines]'\n"
    )
    assert sorted(place.iterdir()) == before


def test_the_kinds_are_listed(cli: Cli) -> None:
    outcome = cli("list", "features")
    assert outcome.code == 0
    for name in ("bands_and_components", "gabor", "profiles"):
        assert name in outcome.out
