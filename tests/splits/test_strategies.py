"""Splits by name."""

from __future__ import annotations

import numpy as np
import pytest

from pdml.errors import InvalidInputError, UnknownNameError
from pdml.scenes.labels import LabelMap
from pdml.splits.per_class import split_per_class
from pdml.splits.strategies import STRATEGIES, make_split


@pytest.mark.parametrize("strategy", ["random", "per-class", "blocks"])
def test_a_name_is_its_function_with_the_same_defaults(field: LabelMap, strategy: str) -> None:
    by_name = make_split(field, strategy, options={"seed": 3})
    direct = STRATEGIES[strategy](field, seed=3)
    np.testing.assert_array_equal(by_name.train.indices, direct.train.indices)
    assert by_name.how == direct.how
    assert by_name.how["strategy"] == strategy


def test_options_that_are_none_count_as_not_given(field: LabelMap) -> None:
    split = make_split(field, "per-class", options={"train_per_class": 4, "seed": None})
    np.testing.assert_array_equal(
        split.train.indices, split_per_class(field, train_per_class=4).train.indices
    )


def test_published_takes_a_second_map(field: LabelMap) -> None:
    codes = field.codes.copy()
    codes[:, ::2] = 0
    test = LabelMap(codes, field.class_names)
    train = LabelMap(field.codes - codes, field.class_names)
    split = make_split(train, "published", test_labels=test, options={"validation": 0})
    assert split.how["strategy"] == "published"
    assert len(split.test) == np.count_nonzero(codes)


def test_unknown_names_are_refused_with_the_nearest(field: LabelMap) -> None:
    with pytest.raises(UnknownNameError, match="unknown split 'block'; did you mean 'blocks'"):
        make_split(field, "block")
    with pytest.raises(
        UnknownNameError, match="unknown option of the split 'random' 'trian'; did you mean 'train'"
    ):
        make_split(field, "random", options={"trian": 0.1})


def test_test_labels_go_with_published_and_only_with_it(field: LabelMap) -> None:
    with pytest.raises(InvalidInputError, match="needs training and test labels, got only one"):
        make_split(field, "published")
    with pytest.raises(InvalidInputError, match=r"belong to the split 'published', .* 'random'"):
        make_split(field, "random", test_labels=field)
