"""The spatially disjoint split: no leakage, classes in training and test where they fit."""

from __future__ import annotations

import numpy as np
import pytest

from pdml.errors import InvalidInputError
from pdml.scenes.labels import LabelledPixels, LabelMap
from pdml.splits.blocks import split_blocks
from pdml.splits.leakage import leakage
from pdml.splits.split import Split


def smallest_distance(one: LabelledPixels, other: LabelledPixels, split: Split) -> int:
    """Smallest Chebyshev distance between pixels of two parts, from all pairs."""
    places = [np.stack(np.divmod(part.indices, split.scene_shape[1])) for part in (one, other)]
    difference = np.abs(places[0][:, :, None] - places[1][:, None, :])
    return int(difference.max(axis=0).min())


@pytest.mark.parametrize("patch_size", [1, 3, 5])
def test_pixels_of_different_parts_are_a_patch_apart(field: LabelMap, patch_size: int) -> None:
    split = split_blocks(field, patch_size=patch_size, seed=1)
    assert smallest_distance(split.train, split.test, split) >= patch_size
    assert len(split.validation)
    assert smallest_distance(split.validation, split.train, split) >= patch_size
    assert smallest_distance(split.validation, split.test, split) >= patch_size


def test_indian_pines_is_split_without_leakage_and_every_class_is_tested(
    indian_pines: LabelMap,
) -> None:
    split = split_blocks(indian_pines)
    measured = leakage(split, 5)
    assert (measured.own_patch_share, measured.overlap_share) == (0, 0)
    assert (split.counts["train"] > 0).all()
    assert (split.counts["test"] > 0).all()
    assert split.how["absent_from_test"] == []
    n_labelled = len(indian_pines.labelled)
    assert 0.15 < len(split.train) / n_labelled < 0.35
    assert 0.03 < len(split.validation) / n_labelled < 0.2
    assert len(split.test) / n_labelled > 0.4


def test_pixels_are_kept_with_their_class_or_counted_as_dropped(field: LabelMap) -> None:
    split = split_blocks(field)
    parts = (split.train, split.validation, split.test)
    together = np.concatenate([part.indices for part in parts])
    assert len(together) == len(set(together.tolist()))
    assert len(together) + split.how["dropped_pixels"] == len(field.labelled)
    for part in parts:
        np.testing.assert_array_equal(field.codes.ravel()[part.indices] - 1, part.classes)


def test_the_seed_decides_the_split(field: LabelMap) -> None:
    first, again, other = (split_blocks(field, seed=seed).train.indices for seed in (5, 5, 6))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def field_with_a_strip(n_rows: int, n_cols: int) -> LabelMap:
    """A large class in two places, and a small one of which there is a single rectangle."""
    codes = np.zeros((40, 60), dtype=np.int32)
    codes[:, :20] = codes[:, 40:] = 1
    codes[10 : 10 + n_rows, 25 : 25 + n_cols] = 2
    return LabelMap.from_array(codes, class_names=["corn", "oats"])


def test_a_class_in_one_place_is_parted_with_its_guard_dropped() -> None:
    # 10 rows of 2 pixels, of which 4 rows are the guard: 6 rows are left to both parts.
    split = split_blocks(field_with_a_strip(10, 2), validation=0)
    kept = split.counts["train"][1], split.counts["test"][1]
    assert min(kept) > 0
    assert sum(kept) == 12
    assert leakage(split, 5).overlap_share == 0


def test_a_class_too_small_to_be_parted_only_trains_and_is_named() -> None:
    labels = field_with_a_strip(4, 4)
    codes = labels.codes.copy()
    codes[30:, 24:36] = 3
    labels = LabelMap.from_array(codes, class_names=["corn", "oats", "hay"])
    split = split_blocks(labels)
    assert split.how["absent_from_test"] == ["oats"]
    assert split.counts["train"][1] > 0
    assert split.counts["test"][1] == 0
    assert split.counts["test"][[0, 2]].all()


def test_a_wider_guard_than_the_patch_is_kept(field: LabelMap) -> None:
    split = split_blocks(field, patch_size=3, guard_pixels=6, validation=0)
    assert smallest_distance(split.train, split.test, split) >= 6
    assert split.how["guard_pixels"] == 6
    assert len(split.validation) == 0


def test_a_scene_with_hardly_anything_to_test_is_refused() -> None:
    codes = np.zeros((9, 9), dtype=np.int32)
    codes[:4, :4], codes[5:, 5:] = 1, 2
    with pytest.raises(
        InvalidInputError, match=r"leave most classes to test, .* class 2 .* guard of 9 pixels"
    ):
        split_blocks(LabelMap.from_array(codes), patch_size=9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"patch_size": 4}, "must be odd and at least 1, got 4"),
        ({"guard_pixels": 0}, "guard must be at least 1 pixel, got 0"),
        ({"block_pixels": 0}, "a block must be at least 1 pixel .* got 0"),
        ({"block_pixels": 50}, "smaller than the scene of 40 x 50 pixels, got 50"),
        ({"train": 1.5}, "train is a share"),
        ({"validation": -0.5}, "validation is a share and must be at least 0"),
        ({"train": 0.6, "validation": 0.4}, r"share to test, got 0.6 \+ 0.4"),
    ],
)
def test_options_out_of_range_are_refused(
    field: LabelMap, options: dict[str, int], message: str
) -> None:
    with pytest.raises(InvalidInputError, match=message):
        split_blocks(field, **options)


def test_a_class_without_pixels_is_named(field: LabelMap) -> None:
    labels = LabelMap(field.codes, (*field.class_names, "stone"))
    with pytest.raises(InvalidInputError, match="no labelled pixel of stone"):
        split_blocks(labels)
