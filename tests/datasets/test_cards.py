"""Facts on the cards, compared with real label maps where they are at hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pdml.datasets.card import Role, dataset_card, dataset_names


def test_the_datasets_of_the_field_are_there() -> None:
    assert set(dataset_names()) >= {
        "indian_pines",
        "pavia_university",
        "ksc",
        "houston2013",
        "salinas",
        "pavia_centre",
        "botswana",
    }


@pytest.mark.parametrize(
    ("name", "total"),
    [
        ("indian_pines", 10249),
        ("pavia_university", 42776),
        ("ksc", 5211),
        ("houston2013", 15029),
        ("salinas", 54129),
        ("pavia_centre", 148152),
        ("botswana", 3248),
    ],
)
def test_the_counts_add_up_to_the_published_total(name: str, total: int) -> None:
    assert sum(dataset_card(name).counts_of_all) == total


@pytest.mark.parametrize(
    ("file", "array", "name", "role"),
    [
        ("pavia_university_labels_only", "gt", "pavia_university", "labels"),
        ("pavia_university_labels_only", "train", "pavia_university", "train"),
        ("pavia_university_labels_only", "test", "pavia_university", "test"),
        ("ksc_sparse", "gt", "ksc", "labels"),
        ("houston2013_labels_lidar_trainspectra", "train", "houston2013", "train"),
        ("houston2013_labels_lidar_trainspectra", "test", "houston2013", "test"),
        ("botswana_sparse", "gt", "botswana", "labels"),
        ("labels_only_salinas_paviaC", "salinas_gt", "salinas", "labels"),
        ("labels_only_salinas_paviaC", "pavia_centre_gt", "pavia_centre", "labels"),
    ],
)
def test_shapes_and_counts_are_those_of_the_real_label_maps(
    shared_data: Path, file: str, array: str, name: str, role: Role
) -> None:
    with np.load(shared_data / f"{file}.npz", allow_pickle=False) as arrays:
        codes = arrays[array]
    card = dataset_card(name)
    assert card.shape[:2] == codes.shape
    assert card.counts[role] == tuple(np.bincount(codes.ravel())[1:])


def test_the_centres_of_hyperion_are_those_published() -> None:
    centres = dataset_card("botswana").wavelengths_nm
    assert centres is not None
    # Bands 10, 55, 82 and 220 of the sensor.
    np.testing.assert_allclose(
        [centres[0], centres[45], centres[46], centres[-1]],
        [447.17, 905.05, 962.91, 2355.20],
        atol=0.15,
    )
