"""What `pdml evaluate` says of the uncertainty, against the predictions of the test pixels."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score

import pdml
from pdml.embeddings.predict import predict_pixels
from pdml.evaluation.calibration import calibration_error
from pdml.evaluation.metrics import UncertaintyRecord
from pdml.experiments.assess import assess
from pdml.experiments.doubt_response import dead_reading, lap_correlation, rank_correlation
from pdml.inference.bundle import Bundle, make_bundle
from pdml.inference.doubt import DOUBT_SCORES
from pdml.inference.fit_uncertainty import fit_uncertainty
from pdml.inference.surroundings import Surroundings
from pdml.inference.temperature import tempered
from pdml.patches.source import PatchSource
from pdml.splits.split import Split
from pdml.training.recipe import Recipe

SMALL = {"epochs": 3, "patch_size": 3, "embedding_size": 6, "precision": "32"}
GAUSSIAN = {**SMALL, "backbone": "spectral_mlp"}
POINT = {**GAUSSIAN, "head": "point", "lambda_pairs": 0.0, "lambda_variance": 0.0}
COMPONENTS = {**GAUSSIAN, "n_components": 5}


@cache
def assessed(kind: str) -> tuple[Bundle, PatchSource, Split, UncertaintyRecord]:
    recipe = {"gaussian": GAUSSIAN, "point": POINT, "components": COMPONENTS}[kind]
    scene, labels = pdml.synthetic_scene(30, 28, n_bands=12, n_classes=4, parcel_pixels=6, seed=0)
    split = pdml.split_random(labels, train=0.2, validation=0.3, seed=0)
    source = pdml.patch_source(scene, split, Recipe.from_dict(recipe))
    trained = pdml.train(source, split, Recipe.from_dict(recipe), seed=0)
    known = fit_uncertainty(trained, source, split)
    bundle = make_bundle(trained.model, source, split.class_names, uncertainty=known)
    return bundle, source, split, assess(bundle, source, split, labels)[0]


def test_calibration_and_mistakes_are_those_of_the_test_pixels() -> None:
    bundle, source, split, record = assessed("gaussian")
    raw = predict_pixels(bundle.model, source, torch.from_numpy(split.test.indices))
    truth = split.test.classes
    assert record["uncalibrated"]["ece"] == calibration_error(truth, raw.probability.numpy())
    assert bundle.uncertainty.temperature == record["temperature"]
    wrong = raw.classes.numpy() != truth
    assert record["error_rate"] == pytest.approx(wrong.mean())
    assert record["temperature"] is not None
    calibrated = tempered(raw.probability, record["temperature"]).numpy()
    expected = roc_auc_score(wrong, 1 - calibrated.max(axis=1))
    assert record["scores"]["max_softmax"]["auroc"] == pytest.approx(expected, abs=1e-3)
    assert set(record["scores"]) == {"doubt", *DOUBT_SCORES.names()} - {"surroundings"}
    assert sum(record["reliability"]["before"]["count"]) == len(truth)


def test_the_curve_of_risk_ends_at_the_error_rate() -> None:
    record = assessed("gaussian")[3]
    for score in record["scores"].values():
        assert score["coverage"][-1] == 1
        assert score["risk"][-1] == pytest.approx(record["error_rate"])
        assert record["aurc_ideal"] <= score["aurc"]


def test_every_change_has_an_answer_of_every_score_at_every_strength() -> None:
    record = assessed("gaussian")[3]
    assert set(record["response"]) == {"band_noise", "dead_bands", "mixed_pixels"}
    for response in record["response"].values():
        assert set(response["scores"]) == set(record["scores"])
        for answers in response["scores"].values():
            assert len(answers) == len(response["strengths"])
            assert all(0 <= answer <= 1 for answer in answers)


def test_a_point_embedding_is_judged_by_the_scores_that_it_has() -> None:
    record = assessed("point")[3]
    assert set(record["scores"]) == {
        "doubt",
        "max_softmax",
        "entropy",
        "distance",
        "distance_ratio",
        "neighbour_ratio",
    }
    assert record["variance_with_lap"] is None
    assert record["variance_with_border"] is None


def test_pixels_that_listen_are_scored_by_themselves_as_well() -> None:
    bundle, source, split, plain = assessed("gaussian")
    assert (plain["rounds"], plain["alone"]) == (0, None)
    listens = replace(bundle.uncertainty, surroundings=Surroundings(2, 1.0, temperature=1.5))
    record, judged = assess(replace(bundle, uncertainty=listens), source, split)
    assert record["rounds"] == 2
    assert record["alone"] is not None
    assert record["alone"]["oa"] == pytest.approx(1 - plain["error_rate"])
    wrong = judged.classes.numpy() != split.test.classes
    assert record["error_rate"] == pytest.approx(wrong.mean())
    expected = roc_auc_score(wrong, 1 - judged.probability.amax(dim=1).numpy())
    assert record["scores"]["surroundings"]["auroc"] == pytest.approx(expected, abs=1e-3)


def test_known_pixels_that_reject_would_take_for_unknown_are_counted() -> None:
    bundle, source, split, record = assessed("gaussian")
    detector = bundle.uncertainty.unknown
    assert detector is not None
    said = predict_pixels(bundle.model, source, torch.from_numpy(split.test.indices))
    above = detector.score(said) > detector.threshold(0.05)
    assert record["called_unknown"] == pytest.approx(float(above.double().mean()))
    few = replace(bundle.uncertainty, unknown=replace(detector, held_out=torch.zeros(3)))
    assert assess(replace(bundle, uncertainty=few), source, split)[0]["called_unknown"] is None


def test_principal_components_have_no_dead_bands() -> None:
    assert set(assessed("components")[3]["response"]) == {"band_noise", "mixed_pixels"}


def test_the_lap_correlation_is_the_mean_over_patches() -> None:
    bundle, source, split, _ = assessed("gaussian")
    patches = source.gather(torch.from_numpy(split.test.indices[:9]))
    with torch.no_grad():
        variance = bundle.model(patches)[0].variance.mean(dim=3)
    found = [
        spearmanr(
            [float(one[row, col]) for row in range(3) for col in range(3)],
            [max(abs(row - 1), abs(col - 1)) for row in range(3) for col in range(3)],
        ).statistic
        for one in variance
    ]
    assert lap_correlation(bundle, patches) == pytest.approx(np.mean(found), abs=1e-6)


def test_a_dead_band_reads_zero_before_it_is_standardised() -> None:
    standardiser = assessed("gaussian")[1].standardiser
    expected = -standardiser.mean / standardiser.scale
    np.testing.assert_allclose(dead_reading(standardiser), expected, rtol=1e-5)


def test_rank_correlation_leaves_out_what_is_infinite_and_says_nothing_of_constants() -> None:
    one, other = np.array([1.0, 2.0, 3.0, 0.0]), np.array([3.0, 2.0, 1.0, np.inf])
    assert rank_correlation(one, other) == pytest.approx(-1)
    assert rank_correlation(one, np.ones(4)) is None
