"""Seeds as they are written."""

from __future__ import annotations

import pytest

from pdml.errors import InvalidInputError
from pdml.experiments.sweep.seeds import parse_seeds, seeds_in_words


@pytest.mark.parametrize(
    ("text", "seeds"),
    [("0:3", (0, 1, 2)), ("7", (7,)), ("0,2,5", (0, 2, 5)), ("4, 4,1", (4, 1)), ("2:3", (2,))],
)
def test_ranges_numbers_and_lists_mean_what_they_say(text: str, seeds: tuple[int, ...]) -> None:
    assert parse_seeds(text) == seeds


@pytest.mark.parametrize("text", ["", "a:b", "3:3", "5:2", "-1", "1.5", "0:10:2", "1,,2"])
def test_what_is_neither_is_refused(text: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        parse_seeds(text)
    assert str(caught.value) == (
        "seeds must be a range such as 0:10 (0 to 9), a number or a list such as 0,2,5, "
        f"got '{text}'"
    )


def test_neighbouring_seeds_are_said_as_a_range() -> None:
    assert seeds_in_words((2, 0, 1)) == "0 to 2"
    assert seeds_in_words((5, 0)) == "0, 5"
    assert seeds_in_words((3,)) == "3"
