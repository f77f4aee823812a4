"""What a model keeps to notice unknown material: fitted on training pixels, stored with it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from pdml.embeddings.predict import predict_pixels
from pdml.errors import InvalidInputError
from pdml.inference.bundle import load_bundle, save_bundle
from pdml.inference.fit_uncertainty import fit_uncertainty
from pdml.inference.mapper import map_scene
from pdml.inference.unknown.class_shape import class_shape
from pdml.inference.unknown.detector import UNKNOWN, UnknownDetector, require_detector
from pdml.scenes.scene import Scene
from tests.inference.test_uncertainty import bundle, trained, without


def detector(head: str = "gaussian") -> UnknownDetector:
    return require_detector(bundle(head).uncertainty.unknown)


@pytest.mark.parametrize("head", ["gaussian", "point"])
def test_the_score_adds_energy_and_distance_in_standard_deviations_of_training(head: str) -> None:
    _, model, source, split = trained(head)
    known = predict_pixels(model.model, source, torch.from_numpy(split.train.indices))
    new = predict_pixels(model.model, source, torch.from_numpy(split.test.indices))
    assert known.features is not None
    shape = class_shape(known.features, torch.from_numpy(split.train.classes))
    expected = np.zeros(len(split.test))
    for of in ("energy", "distance"):
        values = []
        for said in (known, new):
            assert said.logits is not None
            assert said.features is not None
            energy = -said.logits.double().exp().sum(dim=1).log()
            values.append(energy if of == "energy" else shape.nearest_squared(said.features))
        before, after = (one.double().numpy() for one in values)
        expected += (after - before.mean()) / before.std()
    np.testing.assert_allclose(detector(head).score(new).numpy(), expected, rtol=1e-3, atol=1e-3)


def test_about_the_chosen_share_of_validation_pixels_passes_the_threshold() -> None:
    held_out = detector().held_out.numpy()
    for rate in (0.02, 0.05, 0.2):
        passed = (held_out > detector().threshold(rate)).sum()
        # The threshold itself does not pass; a new pixel would be one more of n + 1.
        assert passed == np.floor(rate * (len(held_out) + 1)) - 1


def test_validation_and_test_pixels_have_no_say_in_the_score() -> None:
    _, model, source, split = trained()
    bare = fit_uncertainty(model, source, without(split, "validation", "test")).unknown
    assert bare is not None
    assert bare.to_dict() == detector().to_dict()
    assert len(bare.held_out) == 0
    with pytest.raises(InvalidInputError, match="this model was trained without any; train again"):
        bare.threshold(0.05)


def test_a_spectrum_that_no_class_has_scores_higher_than_all_known_ones() -> None:
    scene, _, _, _ = trained()
    strange = scene.read().copy()
    strange[5:12, 5:12] = strange[5:12, 5:12, ::-1] * 3
    found = map_scene(bundle(), Scene.from_array(strange), scores=[UNKNOWN]).scores[UNKNOWN]
    assert found[7:10, 7:10].min() > detector().threshold(0.02)


def test_it_is_stored_with_the_model(tmp_path: Path) -> None:
    save_bundle(tmp_path, bundle())
    stored = require_detector(load_bundle(tmp_path).uncertainty.unknown)
    assert stored.to_dict() == detector().to_dict()
    assert torch.equal(stored.held_out, detector().held_out)
    scene = trained()[0]
    ours, theirs = (
        map_scene(one, scene, scores=[UNKNOWN]).scores[UNKNOWN]
        for one in (bundle(), load_bundle(tmp_path))
    )
    np.testing.assert_array_equal(ours, theirs)


def test_the_score_is_the_same_whatever_the_tiles() -> None:
    scene = trained()[0]
    whole, tiled = (
        map_scene(bundle(), scene, tile_pixels=side, scores=[UNKNOWN]).scores[UNKNOWN]
        for side in (512, 11)
    )
    np.testing.assert_array_equal(whole, tiled)


def test_an_older_model_is_refused_in_one_line() -> None:
    with pytest.raises(InvalidInputError) as refusal:
        require_detector(None)
    assert str(refusal.value) == (
        "--reject needs a model that was stored with a detector of unknown material, this one is "
        "older; train again, or leave out --reject"
    )
