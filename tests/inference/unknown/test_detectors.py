"""Detectors of unknown material against loops and other libraries."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from sklearn.covariance import LedoitWolf
from sklearn.neighbors import NearestNeighbors

from pdml.inference.unknown.class_shape import class_shape
from pdml.inference.unknown.detectors import (
    energy,
    mahalanobis,
    neighbour_distance,
    relative_mahalanobis,
)

N_FEATURES = 5


def training(n: int = 60) -> tuple[torch.Tensor, torch.Tensor]:
    """Points of classes 0, 1 and 3; there is none of class 2."""
    rng = np.random.default_rng(0)
    classes = rng.choice([0, 1, 3], n)
    mixing = rng.normal(size=(N_FEATURES, N_FEATURES))
    points = rng.normal(size=(n, N_FEATURES)) @ mixing + 4.0 * classes[:, None]
    return torch.from_numpy(points).float(), torch.from_numpy(classes)


def others(n: int = 9) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(1).normal(scale=6, size=(n, N_FEATURES))).float()


def squared_by_hand(points: torch.Tensor, classes: torch.Tensor) -> np.ndarray:
    """Distance of the other points to the nearest class, by inverting the covariance."""
    x, known = points.double().numpy(), classes.numpy()
    means = {int(one): x[known == one].mean(axis=0) for one in set(known.tolist())}
    around = np.array([row - means[int(one)] for row, one in zip(x, known, strict=True)])
    covariance = LedoitWolf(assume_centered=True).fit(around).covariance_
    inverse = np.linalg.inv(covariance)
    return np.array(
        [
            min(float((row - mean) @ inverse @ (row - mean)) for mean in means.values())
            for row in others().double().numpy()
        ]
    )


def test_energy_is_minus_the_logarithm_of_a_sum() -> None:
    logits = torch.tensor([[1.0, 2.0, -1.0], [30.0, 0.0, 5.0]])
    by_hand = [-math.log(sum(math.exp(one) for one in row)) for row in logits.tolist()]
    torch.testing.assert_close(energy(logits), torch.tensor(by_hand))


def test_a_pixel_with_less_evidence_for_every_class_has_more_energy() -> None:
    sure, unsure = energy(torch.tensor([[9.0, 0.0], [1.0, 0.0]]))
    assert unsure > sure


def test_mahalanobis_is_the_least_over_classes_with_the_inverse_covariance() -> None:
    points, classes = training()
    found = mahalanobis(others(), class_shape(points, classes))
    np.testing.assert_allclose(found.numpy(), squared_by_hand(points, classes), rtol=1e-4)


def test_relative_mahalanobis_subtracts_that_to_all_as_one_class() -> None:
    points, classes = training()
    of_one = torch.zeros_like(classes)
    shape, of_all = class_shape(points, classes), class_shape(points, of_one)
    expected = squared_by_hand(points, classes) - squared_by_hand(points, of_one)
    found = relative_mahalanobis(others(), shape, of_all)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("k", [1, 5])
def test_neighbours_are_those_that_scikit_learn_finds(k: int) -> None:
    points, _ = training()
    distances, _ = NearestNeighbors(n_neighbors=k).fit(points).kneighbors(others())
    found = neighbour_distance(others(), points, n_neighbours=k)
    np.testing.assert_allclose(found.numpy(), distances[:, -1], rtol=1e-5)


def test_with_fewer_training_pixels_than_neighbours_the_farthest_counts() -> None:
    known = torch.tensor([[0.0, 0.0], [3.0, 4.0]])
    assert neighbour_distance(torch.zeros(1, 2), known).tolist() == [5.0]


def test_classes_of_one_pixel_each_have_round_shapes() -> None:
    shape = class_shape(torch.tensor([[0.0, 0.0], [3.0, 4.0]]), torch.tensor([0, 1]))
    assert mahalanobis(torch.tensor([[3.0, 5.0]]), shape).tolist() == pytest.approx([1.0])


def test_more_bands_than_pixels_and_dead_bands_give_finite_distances() -> None:
    points = torch.randn(12, 40, generator=torch.Generator().manual_seed(0))
    points[:, 7] = 0
    shape = class_shape(points, torch.arange(12) % 3)
    assert torch.isfinite(mahalanobis(100 * points, shape)).all()
