"""Splits by the name of their strategy, for the command line and for recipes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature

from pdml.errors import InvalidInputError, unknown_name
from pdml.scenes.labels import LabelMap
from pdml.splits.blocks import split_blocks
from pdml.splits.per_class import split_per_class
from pdml.splits.polygons import split_polygons
from pdml.splits.published import split_published
from pdml.splits.random import split_random
from pdml.splits.split import Split

STRATEGIES: dict[str, Callable[..., Split]] = {
    "random": split_random,
    "per-class": split_per_class,
    "blocks": split_blocks,
    "polygons": split_polygons,
    "published": split_published,
}


def make_split(
    labels: LabelMap,
    strategy: str,
    *,
    test_labels: LabelMap | None = None,
    options: Mapping[str, float | int | None] | None = None,
) -> Split:
    """Splits with the strategy of a name.

    Args:
        labels: The labelled scene; for "published" the training pixels.
        strategy: "random", "per-class", "blocks", "polygons" or "published".
        test_labels: The test pixels, for "published" only.
        options: Options of the strategy under the names of its arguments. An option that is None
            counts as not given.

    Raises:
        UnknownNameError: If the strategy, or an option of it, does not exist.
        InvalidInputError: If test labels are missing or out of place, or the strategy refuses.
    """
    if strategy not in STRATEGIES:
        raise unknown_name("split", strategy, STRATEGIES)
    split = STRATEGIES[strategy]
    given = {name: value for name, value in (options or {}).items() if value is not None}
    accepted = [
        name for name, one in signature(split).parameters.items() if one.kind is one.KEYWORD_ONLY
    ]
    for name in given:
        if name not in accepted:
            raise unknown_name(f"option of the split '{strategy}'", name, accepted)
    if strategy != "published":
        if test_labels is not None:
            raise InvalidInputError(
                f"test labels belong to the split 'published', got them with '{strategy}'; "
                "leave them out or choose 'published'"
            )
        return split(labels, **given)
    if test_labels is None:
        raise InvalidInputError(
            "the split 'published' needs training and test labels, got only one map; "
            "name the test labels as well"
        )
    return split(labels, test_labels, **given)
