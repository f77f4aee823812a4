"""From the values of an attribute to numbered classes with names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Int, Shaped

from pdml.errors import InvalidInputError, unknown_name
from pdml.scenes.vector_file import Features


def classes_of(
    features: Features, class_names: Sequence[str] = ()
) -> tuple[Int[np.ndarray, " n"], tuple[str, ...]]:
    """Numbers the classes of features from 1 in the order of their names.

    Text is sorted as text, whole numbers as numbers. Spaces around text do not count.

    Args:
        features: Polygons or points with a value each.
        class_names: The classes in their order, if that is settled.

    Returns:
        The class of each feature, 0 where it has no value; and the names.

    Raises:
        InvalidInputError: If the values are neither text nor whole numbers, or all are missing.
        UnknownNameError: If a value is none of the names that were given.
    """
    present = _present(features.values)
    texts = np.array([_text(features, value) for value in features.values[present]], dtype=object)
    is_there = texts != ""
    present[present] = is_there
    texts = texts[is_there]
    if not len(texts):
        raise InvalidInputError(
            f"the field '{features.field}' of {features.source} must name classes, but it is "
            "empty in all features; choose another with --class-field"
        )
    found = set(texts.tolist())
    # All are numbers or none is, because a field has one type.
    as_numbers = features.values.dtype.kind != "O"
    names = tuple(class_names) or tuple(sorted(found, key=int if as_numbers else None))
    unexpected = sorted(found - set(names))
    if unexpected:
        raise unknown_name(f"class in {features.source}", unexpected[0], names)
    number_of = {name: number for number, name in enumerate(names, start=1)}
    codes = np.zeros(len(present), dtype=np.int32)
    codes[present] = [number_of[text] for text in texts]
    return codes, names


def _present(values: Shaped[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
    present = np.ones(len(values), dtype=bool)
    if values.dtype.kind == "O":
        present[:] = [value is not None for value in values]
    elif values.dtype.kind == "f":
        present[:] = ~np.isnan(values)
    return present


def _text(features: Features, value: object) -> str:
    """The name of a class; whole numbers with gaps arrive as floating-point ones."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, int | float | np.bool | np.number) and float(value).is_integer():
        return str(int(value))
    raise InvalidInputError(
        f"the field '{features.field}' of {features.source} must hold text or whole numbers, got "
        f"{value!s}; choose another with --class-field"
    )
