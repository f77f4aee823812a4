"""Parcels and smooth fields."""

from __future__ import annotations

import numpy as np
import pytest

from pdml.datasets.parcels import parcel_classes, smooth_field


@pytest.mark.parametrize("n_classes", [1, 5, 24])
def test_every_class_has_a_pixel_even_when_there_are_hardly_any(n_classes: int) -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        classes = parcel_classes((4, 6), n_classes, parcel_pixels=50, rng=rng)
        assert set(classes.ravel()) == set(range(n_classes))


def test_parcels_are_coherent() -> None:
    rng = np.random.default_rng(0)
    classes = parcel_classes((80, 80), 6, parcel_pixels=12, rng=rng)
    same = np.mean(classes[:, 1:] == classes[:, :-1])
    assert same > 0.85  # scattered classes would agree once in six


def test_a_smooth_field_is_standardised_and_smooth() -> None:
    field = smooth_field((60, 60), 5, np.random.default_rng(0))
    assert field.mean() == pytest.approx(0, abs=1e-12)
    assert field.std() == pytest.approx(1)
    assert np.abs(np.diff(field, axis=0)).max() < 0.5


def test_a_field_of_one_pixel_is_zero() -> None:
    assert smooth_field((1, 1), 5, np.random.default_rng(0)).item() == 0
