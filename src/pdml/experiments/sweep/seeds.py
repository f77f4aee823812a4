"""Seeds as they are written on the command line."""

from __future__ import annotations

import re

from pdml.errors import InvalidInputError


def parse_seeds(text: str) -> tuple[int, ...]:
    """The seeds that a text means: `0:10` (the end left out), `3`, or `0,2,5`.

    Raises:
        InvalidInputError: If it is none of these, or means no seed.
    """
    seeds: tuple[int, ...] = ()
    plain = text.replace(" ", "")
    if found := re.fullmatch(r"(\d+):(\d+)", plain):
        seeds = tuple(range(int(found[1]), int(found[2])))
    elif re.fullmatch(r"\d+(,\d+)*", plain):
        seeds = tuple(dict.fromkeys(int(part) for part in plain.split(",")))
    if not seeds:
        raise InvalidInputError(
            "seeds must be a range such as 0:10 (0 to 9), a number or a list such as 0,2,5, "
            f"got '{text}'"
        )
    return seeds


def seeds_in_words(seeds: tuple[int, ...]) -> str:
    """Seeds as briefly as they can be said."""
    low, high = min(seeds), max(seeds)
    if len(seeds) > 2 and tuple(sorted(seeds)) == tuple(range(low, high + 1)):
        return f"{low} to {high}"
    return ", ".join(map(str, sorted(seeds)))
