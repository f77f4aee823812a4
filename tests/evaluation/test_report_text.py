"""What a report says in words."""

from __future__ import annotations

import pytest

from pdml.evaluation.metrics import AloneRecord, Metrics
from pdml.evaluation.report_text import (
    decimal,
    doubt_sentences,
    duration,
    epoch_sentence,
    grouped,
    leakage_sentence,
    oracle_sentence,
    percent,
    score_context,
    title,
    warnings,
)


def test_a_split_that_leaks_says_so_plainly() -> None:
    sentence = leakage_sentence({"patch_size": 5, "own_patch_share": 0.984, "overlap_share": 1.0})
    assert sentence == (
        "98.4 % of the test pixels have a training pixel inside their own 5 x 5 patch: "
        "the score says little about a new field."
    )


def test_a_split_that_leaks_a_little_gives_both_shares() -> None:
    sentence = leakage_sentence({"patch_size": 5, "own_patch_share": 0.03, "overlap_share": 0.108})
    assert sentence.startswith("3.0 % of the test pixels")
    assert "the patches of 10.8 % overlap a training patch" in sentence


def test_a_split_without_leakage_claims_no_more_than_this_scene() -> None:
    sentence = leakage_sentence({"patch_size": 7, "own_patch_share": 0.0, "overlap_share": 0.0})
    assert sentence.startswith("No 7 x 7 patch of a test pixel shares a pixel")
    assert sentence.endswith("within this scene.")


def test_a_twin_is_called_a_twin_and_not_merely_synthetic() -> None:
    found = warnings({"twin": True, "synthetic": True, "dataset": "ksc"}, {})
    assert len(found) == 1
    assert "a twin, not the real ksc" in found[0]


def test_a_synthetic_scene_is_called_synthetic() -> None:
    assert "synthetic: it was computed, not measured" in warnings({"synthetic": True}, {})[0]


def test_standardising_over_the_whole_scene_is_said() -> None:
    assert warnings({}, {"fit_on": "train"}) == []
    assert "test pixels included" in warnings({}, {"fit_on": "scene"})[0]


def test_features_of_the_whole_scene_are_said() -> None:
    for name in ("bands", "bands_and_components"):
        assert warnings({}, {"features": name}) == []
    assert warnings({}, {"features": "gabor"}) == [
        "The network sees features of the whole scene (features = 'gabor'): what it sees of a "
        "training pixel may hang on test pixels well outside its patch (on their values, not their "
        "labels)."
    ]


def test_looking_at_the_spectra_of_test_pixels_is_said() -> None:
    used = {"unlabelled": "scene", "lambda_consistency": 1.0}
    assert warnings({}, used) == [
        "Training looked at the spectra of test pixels, without their labels "
        "(unlabelled = 'scene'): the score is about this scene and no other one."
    ]
    for unused in ({"unlabelled": "outside_test"}, {"lambda_consistency": 0.0}):
        assert warnings({}, {**used, **unused}) == []


def test_listening_to_the_surroundings_is_said_with_what_it_hangs_on() -> None:
    alone: AloneRecord = {"oa": 0.75, "aa": 0.6, "kappa": 0.7, "ece": 0.1}
    assert warnings({"uncertainty": {"rounds": 8, "alone": alone}}, {}) == [
        "Pixels listened to their surroundings for 8 rounds, so what is said of a test pixel hangs "
        "on others up to as many rows and columns away, and these may lie beside training pixels. "
        "By their own patches alone the test pixels have OA 75.00 %, AA 60.00 %."
    ]
    assert warnings({"uncertainty": {"rounds": 0, "alone": None}}, {}) == []


def test_the_epoch_says_what_chose_it(metrics: Metrics) -> None:
    sentence = epoch_sentence(metrics, {"select": "best"})
    assert sentence is not None
    assert "Epoch 31 of 40 was kept" in sentence
    assert "validation OA 95.00 %" in sentence
    last = "The weights after the last of 40 epochs were kept."
    assert epoch_sentence(metrics, {"select": "last"}) == last
    assert epoch_sentence({"epochs": 40, "best_epoch": 0}, {}) == last
    assert epoch_sentence({}, {}) is None


def test_the_best_on_test_is_called_an_oracle() -> None:
    sentence = oracle_sentence({"best_on_test": {"oa": 0.9262, "epoch": 12}})
    assert sentence is not None
    assert sentence.startswith("Oracle: OA 92.62 % at epoch 12")
    assert "not an estimate of accuracy" in sentence
    assert oracle_sentence({}) is None


def test_a_score_comes_with_its_pixels_split_seed_and_version(metrics: Metrics) -> None:
    assert score_context(metrics) == "on 20 test pixels, random split, seed 3, pdml 0.1.0"
    assert score_context({"seed": 0}) == "seed 0"


def test_the_title_names_scene_and_method() -> None:
    assert title({"scene": "KSC", "method": "PDML"}) == "KSC: PDML"
    assert title({"dataset": "ksc"}) == "ksc"
    assert title({}) == "a scene"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.031, "0.031 s"), (1.25, "1.2 s"), (59.4, "59 s"), (133, "2 min 13 s"), (7320, "2 h 2 min")],
)
def test_times_are_readable(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_numbers_are_readable() -> None:
    assert percent(0.98765) == "98.77 %"
    assert percent(None) == decimal(None) == "\N{EN DASH}"
    assert decimal(0.5) == "0.5000"
    assert grouped(1234567) == "1\N{NO-BREAK SPACE}234\N{NO-BREAK SPACE}567"


def judged(temperature: float | None, *, n_wrong: int, fitted: bool, strategy: str) -> Metrics:
    return {
        "split": {"strategy": strategy},
        "uncertainty": {
            "temperature": temperature,
            "n_validation": 300,
            "n_wrong_validation": n_wrong,
            "combination": {"fitted": fitted},
            "variance_with_lap": 0.5,
            "variance_with_border": None,
        },
    }


def test_a_reader_is_told_where_temperature_and_doubt_come_from() -> None:
    said = doubt_sentences(judged(1.5, n_wrong=20, fitted=True, strategy="blocks"))
    assert said[0].endswith(
        "temperature of 1.50, fitted on 300 validation pixels with 20 mistakes."
    )
    assert said[1:] == ["Rank correlation of the variance with the lap of a patch: +0.50."]


def test_known_pixels_that_would_be_called_unknown_are_counted() -> None:
    metrics = judged(1.5, n_wrong=20, fitted=True, strategy="blocks")
    metrics["uncertainty"]["called_unknown"] = 0.113
    assert doubt_sentences(metrics)[1] == (
        "With --reject at its usual rate, which allows for 5 % of pixels like the validation "
        "pixels, 11.3 % of these test pixels would be shown as unknown, all of them wrongly: they "
        "are of known classes."
    )


def test_few_mistakes_and_validation_pixels_that_leak_are_said() -> None:
    said = doubt_sentences(judged(1.5, n_wrong=1, fitted=False, strategy="random"))
    assert "with 1 mistake." in said[0]
    assert said[1].startswith("These are too few mistakes to weigh measures by")
    assert said[2].startswith("Validation pixels were drawn beside training pixels")


def test_without_validation_pixels_it_is_said_that_nothing_was_fitted() -> None:
    said = doubt_sentences(judged(None, n_wrong=0, fitted=False, strategy="blocks"))
    assert said[0].startswith("No temperature was fitted: there were no validation pixels.")
    assert doubt_sentences({}) == []
