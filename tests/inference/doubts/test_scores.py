"""Every measure of doubt against a loop over pixels."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from pdml.embeddings.prediction import Prediction, joined
from pdml.inference.class_gaussians import ClassGaussians, class_gaussians
from pdml.inference.doubt import DOUBT_SCORES, doubt_scores

N_PIXELS, N_CLASSES, N_FEATURES = 7, 4, 6


def predictions() -> Prediction:
    rng = np.random.default_rng(0)
    return Prediction(
        torch.from_numpy(rng.dirichlet(np.ones(N_CLASSES), N_PIXELS)).float(),
        torch.from_numpy(rng.normal(size=(N_PIXELS, N_FEATURES))).float(),
        torch.from_numpy(rng.random(N_PIXELS)).float(),
        alone=torch.from_numpy(rng.dirichlet(np.ones(N_CLASSES), N_PIXELS)).float(),
    )


def gaussians() -> ClassGaussians:
    rng = np.random.default_rng(1)
    return ClassGaussians(
        torch.from_numpy(rng.normal(size=(N_CLASSES, N_FEATURES))).float(),
        torch.from_numpy(rng.random((N_CLASSES, N_FEATURES))).float(),
        torch.tensor([5, 3, 9, 1]),
        match=(1.3, 4.0),
        points=torch.from_numpy(rng.normal(size=(18, N_FEATURES))).float(),
        n_points=torch.tensor([5, 3, 9, 1]),
    )


def distances() -> np.ndarray:
    """From every pixel to every class, by a loop."""
    points, centres = predictions().mean.numpy(), gaussians().mean.numpy()
    return np.array([[math.dist(point, centre) for centre in centres] for point in points])


@pytest.mark.parametrize("name", DOUBT_SCORES.names())
def test_a_score_is_there_for_a_full_model_and_depends_on_its_own_pixel_alone(name: str) -> None:
    found = doubt_scores(predictions(), gaussians(), [name])[name]
    assert found.shape == (N_PIXELS,)
    assert torch.isfinite(found).all()
    for row in range(N_PIXELS):
        alone = doubt_scores(predictions().at(torch.tensor([row])), gaussians(), [name])[name]
        torch.testing.assert_close(alone, found[row : row + 1])


def test_a_method_with_probabilities_only_has_the_scores_that_are_made_of_them() -> None:
    plain = Prediction(predictions().probability, torch.zeros(N_PIXELS, 0), None)
    assert set(doubt_scores(plain, None, DOUBT_SCORES.names())) == {"entropy", "max_softmax"}


def test_entropy_agrees_with_a_sum_of_logarithms() -> None:
    found = doubt_scores(predictions(), None, ["entropy"])["entropy"]
    for p, value in zip(predictions().probability.tolist(), found.tolist(), strict=True):
        by_hand = -sum(one * math.log(one) for one in p) / math.log(N_CLASSES)
        assert value == pytest.approx(by_hand, rel=1e-5)


def test_what_the_top_class_lacks_is_told_apart_where_one_minus_it_is_zero() -> None:
    probability = torch.tensor([[1.0, 1e-20, 1e-21], [1.0, 1e-10, 1e-11], [0.6, 0.3, 0.1]])
    plain = Prediction(probability, torch.zeros(3, 0), None)
    found = doubt_scores(plain, None, ["max_softmax"])["max_softmax"]
    torch.testing.assert_close(found, torch.tensor([1.1e-20, 1.1e-10, 0.4]))


def test_max_softmax_is_the_pixel_s_own_and_the_surroundings_have_another() -> None:
    said = predictions()
    assert said.alone is not None
    found = doubt_scores(said, None, ["max_softmax", "surroundings"])
    torch.testing.assert_close(found["max_softmax"], 1 - said.alone.amax(dim=1))
    torch.testing.assert_close(found["surroundings"], 1 - said.probability.amax(dim=1))


def test_distance_is_that_to_the_nearest_class_in_typical_distances() -> None:
    found = doubt_scores(predictions(), gaussians(), ["distance"])["distance"]
    count, variance = gaussians().count.numpy(), gaussians().variance.numpy()
    radius = math.sqrt(sum(n * v.sum() for n, v in zip(count, variance, strict=True)) / 18)
    np.testing.assert_allclose(found, distances().min(axis=1) / radius, rtol=1e-5)


def test_the_ratio_compares_the_predicted_class_with_the_nearest_other() -> None:
    found = doubt_scores(predictions(), gaussians(), ["distance_ratio"])["distance_ratio"]
    for row, value in enumerate(found.tolist()):
        predicted = int(predictions().probability[row].argmax())
        others = [d for k, d in enumerate(distances()[row]) if k != predicted]
        assert value == pytest.approx(distances()[row, predicted] / min(others), rel=1e-5)


def test_the_neighbour_ratio_compares_the_nearest_training_pixels() -> None:
    found = doubt_scores(predictions(), gaussians(), ["neighbour_ratio"])["neighbour_ratio"]
    known = gaussians().points
    assert known is not None
    classes = [0] * 5 + [1] * 3 + [2] * 9 + [3]
    for row, value in enumerate(found.tolist()):
        predicted = int(predictions().probability[row].argmax())
        point = predictions().mean[row].numpy()
        of = [(math.dist(point, one), k) for one, k in zip(known.numpy(), classes, strict=True)]
        own = min(distance for distance, k in of if k == predicted)
        other = min(distance for distance, k in of if k != predicted)
        assert value == pytest.approx(own / other, rel=1e-4)


def test_a_thousand_pixels_of_a_class_are_kept_and_no_more() -> None:
    mean = torch.arange(2500.0)[:, None]
    classes = (torch.arange(2500) >= 2100).long()
    found = class_gaussians(mean, None, classes, n_classes=3)
    assert found.n_points is not None
    assert found.points is not None
    assert found.n_points.tolist() == [1000, 400, 0]
    assert found.points[[0, 999, 1000, 1399], 0].tolist() == [0, 2099, 2100, 2499]


def test_mismatch_agrees_with_samples_of_both_gaussians() -> None:
    found = doubt_scores(predictions(), gaussians(), ["mismatch"])["mismatch"]
    rng = np.random.default_rng(2)
    for row, value in enumerate(found.tolist()):
        one, known = predictions(), gaussians()
        k = int(one.probability[row].argmax())
        assert one.variance is not None
        of_pixel = one.mean[row].numpy() + rng.normal(size=(20000, N_FEATURES)) * math.sqrt(
            float(one.variance[row])
        )
        of_class = known.mean[k].numpy() + rng.normal(size=(20000, N_FEATURES)) * np.sqrt(
            known.variance[k].numpy()
        )
        distance = np.linalg.norm(of_pixel - of_class, axis=1)
        assert value == pytest.approx(1 - (1 / (1 + np.exp(1.3 * distance - 4.0))).mean(), abs=0.01)


def test_a_class_without_training_pixels_is_at_no_distance_and_matches_nothing() -> None:
    known = gaussians()
    lacking = ClassGaussians(known.mean, known.variance, torch.tensor([5, 3, 9, 0]), known.match)
    probability = torch.tensor([[0.1, 0.1, 0.1, 0.7]])
    one = Prediction(probability, predictions().mean[:1], torch.ones(1))
    found = doubt_scores(one, lacking, ["mismatch", "distance", "distance_ratio"])
    assert found["mismatch"] == 1
    assert found["distance_ratio"] == math.inf
    assert found["distance"] == pytest.approx(distances()[0, :3].min() / lacking.radius)


def test_gaussians_of_classes_agree_with_numpy_class_by_class() -> None:
    rng = np.random.default_rng(3)
    mean, variance = rng.normal(size=(20, 3)), rng.random(20)
    classes = rng.integers(0, 2, 20)
    found = class_gaussians(
        torch.from_numpy(mean), torch.from_numpy(variance), torch.from_numpy(classes), n_classes=3
    )
    for number in range(2):
        of_class = classes == number
        np.testing.assert_allclose(found.mean[number], mean[of_class].mean(axis=0), rtol=1e-5)
        expected = mean[of_class].var(axis=0) + variance[of_class].mean()
        np.testing.assert_allclose(found.variance[number], expected, rtol=1e-5)
    assert found.count.tolist() == [*np.bincount(classes).tolist(), 0]


def test_predictions_are_joined_and_taken_apart_with_all_that_they_hold() -> None:
    one = predictions()
    full = Prediction(
        one.probability, one.mean, one.variance, one.probability.log(), {"x": one.mean[:, 0]}
    )
    again = joined([full.at(torch.tensor([0, 1])), full.at(torch.arange(2, N_PIXELS))])
    for name in ("probability", "mean", "variance", "logits"):
        torch.testing.assert_close(getattr(again, name), getattr(full, name))
    torch.testing.assert_close(again.scores["x"], one.mean[:, 0])
