"""The split by polygons: none is divided, every class is everywhere, the shares are met."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from pdml.errors import InvalidInputError
from pdml.scenes.labels import LabelMap
from pdml.splits.leakage import leakage
from pdml.splits.polygons import split_polygons
from pdml.splits.regions import regions_of
from pdml.splits.split import Split


def strips(sizes: list[list[int]]) -> LabelMap:
    """One row of pixels per polygon: the sizes of the polygons of each class."""
    height = sum(map(len, sizes))
    codes = np.zeros((height, max(map(max, sizes))), dtype=np.int32)
    groups = np.zeros_like(codes)
    row = 0
    for code, of_class in enumerate(sizes, start=1):
        for size in of_class:
            codes[row, :size], groups[row, :size] = code, row + 1
            row += 1
    return LabelMap.from_array(codes, groups=groups)


def parts_of(split: Split, labels: LabelMap) -> list[set[int]]:
    assert labels.groups is not None
    flat = labels.groups.ravel()
    return [set(flat[p.indices].tolist()) for p in (split.train, split.validation, split.test)]


@pytest.mark.parametrize("seed", range(5))
def test_no_polygon_is_divided_and_every_class_is_in_every_part(seed: int) -> None:
    generator = np.random.default_rng(seed)
    labels = strips([generator.integers(1, 40, size=n).tolist() for n in (3, 4, 9, 30)])
    split = split_polygons(labels, seed=seed)
    train, validation, test = parts_of(split, labels)
    assert not train & validation
    assert not train & test
    assert not validation & test
    assert len(train | validation | test) == 46
    n_pixels = sum(len(part) for part in (split.train, split.validation, split.test))
    assert n_pixels == len(labels.labelled)
    for counts in split.counts.values():
        assert (counts > 0).all()


def test_the_shares_are_those_of_the_best_of_all_ways_to_deal() -> None:
    sizes = [11, 3, 7, 29, 13, 5]
    total, best = sum(sizes), np.inf
    for order in permutations(sizes):
        for i in range(1, 5):
            for j in range(i + 1, 6):
                off = abs(sum(order[:i]) - 0.3 * total) + abs(sum(order[i:j]) - 0.2 * total)
                best = min(best, off)
    split = split_polygons(strips([sizes]), train=0.3, validation=0.2, seed=1)
    off = abs(len(split.train) - 0.3 * total) + abs(len(split.validation) - 0.2 * total)
    assert off == pytest.approx(best)


def test_many_polygons_meet_the_shares_almost_exactly() -> None:
    labels = strips([np.random.default_rng(0).integers(1, 30, size=200).tolist()])
    split = split_polygons(labels, train=0.4, validation=0.15)
    n = len(labels.labelled)
    assert len(split.train) / n == pytest.approx(0.4, abs=0.002)
    assert len(split.validation) / n == pytest.approx(0.15, abs=0.002)


def test_the_seed_decides_the_split() -> None:
    labels = strips([[5] * 12, [7] * 12])
    first, again, other = (split_polygons(labels, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.train.indices, again.train.indices)
    assert not np.array_equal(first.train.indices, other.train.indices)


def test_without_validation_two_polygons_do() -> None:
    labels = strips([[4, 9], [2, 2]])
    split = split_polygons(labels, train=0.3, validation=0)
    assert len(split.validation) == 0
    assert split.counts["train"].tolist() == [4, 2]
    assert split.how["polygons"] == {"train": [1, 1], "validation": [0, 0], "test": [1, 1]}


def test_a_class_with_too_few_polygons_is_named_with_their_number() -> None:
    labels = strips([[4, 9, 3], [2, 2], [5]])
    with pytest.raises(InvalidInputError) as caught:
        split_polygons(labels)
    assert str(caught.value) == (
        "a split by polygons needs at least 3 polygons of each class (1 to train, 1 to validate, "
        "1 to test), but 'class 2' has 2, 'class 3' has 1; draw more, or try --validation 0, which "
        "needs only 2, or --split blocks"
    )
    with pytest.raises(
        InvalidInputError, match=r"at least 2 .* but 'class 3' has 1; draw more, or"
    ):
        split_polygons(labels, validation=0)


def test_of_many_classes_with_too_few_polygons_some_are_named() -> None:
    labels = strips([[2]] * 40)
    with pytest.raises(InvalidInputError, match=r"'class 1' has 1, .*, 'class 5' has 1 and 35 mor"):
        split_polygons(labels)


def test_a_polygon_of_several_classes_is_refused() -> None:
    labels = LabelMap.from_array(np.array([[1, 1, 2, 2]]), groups=np.array([[1, 2, 2, 3]]))
    with pytest.raises(InvalidInputError, match=r"must hold pixels of one class, got several in 1"):
        split_polygons(labels)


@pytest.mark.parametrize(
    ("train", "validation", "message"),
    [
        (0.0, 0.1, "train is a share and must be above 0"),
        (0.25, -0.1, "validation is a share and must be at least 0"),
        (0.6, 0.4, "must leave a share to test, got 0.6"),
    ],
)
def test_shares_out_of_range_are_refused(train: float, validation: float, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        split_polygons(strips([[1, 2, 3]]), train=train, validation=validation)


def test_in_an_image_pixels_of_one_class_that_touch_are_one_polygon() -> None:
    codes = np.array(
        [
            [1, 1, 0, 2, 0],
            [0, 0, 1, 2, 2],
            [2, 0, 0, 0, 0],
            [2, 2, 1, 1, 1],
        ]
    )
    labels = LabelMap.from_array(codes)
    regions = np.full(codes.shape, -1)
    regions[codes > 0] = regions_of(labels)
    together = [[(0, 0), (0, 1), (1, 2)], [(0, 3), (1, 3), (1, 4)], [(2, 0), (3, 0), (3, 1)]]
    for pixels in [*together, [(3, 2), (3, 3), (3, 4)]]:
        assert len({int(regions[at]) for at in pixels}) == 1
    assert sorted(set(regions.ravel().tolist())) == [-1, 0, 1, 2, 3]


def test_an_image_is_split_by_its_connected_regions_and_the_leakage_is_measured() -> None:
    codes = np.kron(np.arange(24).reshape(4, 6) % 2 + 1, np.ones((5, 5), dtype=np.int64))
    codes[4::5] = codes[:, 4::5] = 0
    labels = LabelMap.from_array(codes)
    split = split_polygons(labels, seed=3)
    part = np.zeros(codes.size, dtype=int)
    for number, pixels in enumerate((split.train, split.validation, split.test), start=1):
        part[pixels.indices] = number
    for row in range(0, 20, 5):
        for col in range(0, 30, 5):
            assert len(set(part.reshape(codes.shape)[row : row + 4, col : col + 4].ravel())) == 1
    # One pixel lies between the fields, so 3 x 3 patches do not see the next field's labels.
    assert leakage(split, 3).own_patch_share == 0
    assert leakage(split, 5).own_patch_share > 0


def test_groups_of_another_size_are_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"groups must have the size of the labels, 1 x 2,"):
        LabelMap.from_array(np.array([[1, 2]]), groups=np.array([[1]]))
