"""Recipes that cannot be built are refused before anything runs."""

from __future__ import annotations

from typing import Any

import pytest

from pdml.errors import InvalidInputError
from pdml.experiments.buildable import require_buildable
from pdml.training.inputs import model_spec
from pdml.training.recipe import Recipe

SHRINKING = {"backbone": "hamida", "head": "point", "classifier": "pooled", "lambda_pairs": 0.0,
             "lambda_variance": 0.0, "backbone_options": {"padding": "collapsed"}}  # fmt: skip


@pytest.mark.parametrize("changes", [{"known_neighbours": "left_out"}, {"border_mixing": 0.5}])
def test_classes_of_pixels_need_a_network_that_keeps_the_size(changes: dict[str, Any]) -> None:
    recipe = Recipe().changed({**SHRINKING, **changes})
    spec = model_spec(recipe, n_bands=100, n_classes=3)
    with pytest.raises(InvalidInputError) as error:
        require_buildable(spec, recipe)
    assert str(error.value) == (
        "known_neighbours and border_mixing need a network that keeps the size of a patch, "
        "hamida makes 1 x 1 of 5 x 5; choose ssrn, or known_neighbours = 'as_centre' and "
        "border_mixing = 0"
    )


def test_other_networks_are_built_with_them() -> None:
    recipe = Recipe(known_neighbours="own_class", border_mixing=0.5)
    require_buildable(model_spec(recipe, n_bands=100, n_classes=3), recipe)
