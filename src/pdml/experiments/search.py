"""The search of a recipe: variants by what they change, judged by validation pixels alone."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

from pdml.errors import InvalidInputError, PdmlError
from pdml.experiments.experiment import Experiment, Variant
from pdml.training.recipe import Recipe, parse_value

BASE = "base"
"""The variant that changes nothing, to which all others are compared."""

_WATCHED = (
    "a search of a recipe does not look at test pixels, got watch_test = true; set it to false"
)
_KEYS = "|".join(entry.name for entry in dataclasses.fields(Recipe))


def changed_by(text: str) -> Variant:
    """The variant that changes some keys of the recipe.

    Args:
        text: `key=value` as for `--set`; several with commas between.

    Raises:
        UnknownNameError: If a key is not one of a recipe's.
        InvalidInputError: If something has no value.
    """
    changes = {}
    # A comma inside a value is not followed by a key of a recipe.
    for part in re.split(rf",\s*(?=(?:{_KEYS})\s*=)", text):
        key, equals, value = (word.strip() for word in part.partition("="))
        if not (key and equals and value):
            raise InvalidInputError(
                f"a variant of a search is KEY=VALUE, or several with commas between, got '{text}'"
            )
        changes[key] = parse_value(key, value)
    return Variant(text, changes)


def searched_variant(experiment: Experiment, name: str) -> Variant:
    """A variant of a search: a declared one, or any other change."""
    declared = {variant.name: variant for variant in experiment.variants}
    if name in declared or "=" not in name:
        return experiment.variant(name)
    return changed_by(name)


def searched_variants(
    experiment: Experiment, names: Sequence[str], base: Recipe
) -> tuple[Variant, ...]:
    """The base, then what is compared with it.

    Args:
        experiment: The search.
        names: What was asked for; all that is declared and changes something when empty.
        base: The recipe that is changed.

    Raises:
        InvalidInputError: If something was asked for that cannot be compared with the base, or the
            base wants to look at test pixels.
    """
    if base.watch_test:
        raise InvalidInputError(_WATCHED)
    asked = [searched_variant(experiment, name) for name in names if name != BASE]
    for variant in asked:
        if reason := _against(variant, base):
            raise InvalidInputError(f"'{variant.name}' cannot be compared with the base: {reason}")
    passed_over = left_out(experiment, base)
    others = [one for one in experiment.variants if one.name not in (BASE, *passed_over)]
    return (experiment.variant(BASE), *(asked if names else others))


def left_out(experiment: Experiment, base: Recipe) -> dict[str, str]:
    """Declared variants that cannot be compared with a recipe, and why."""
    reasons = {one.name: _against(one, base) for one in experiment.variants if one.name != BASE}
    return {name: reason for name, reason in reasons.items() if reason}


def search_note(*, final: bool) -> str:
    """What a search looks at."""
    if final:
        return (
            "The test pixels are scored as well (--final): nothing may be chosen by these scores "
            "any more."
        )
    return "Judged by validation pixels alone: no test pixel is scored."


def _against(variant: Variant, base: Recipe) -> str:
    try:
        changed = base.changed(variant.changes)
    except PdmlError as error:
        return str(error)
    if changed == base:
        return "the recipe has it already"
    return _WATCHED if changed.watch_test else ""
