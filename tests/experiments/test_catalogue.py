"""Names with the first sentence of the file behind them."""

from __future__ import annotations

import pytest

from pdml.errors import UnknownNameError
from pdml.experiments.catalogue import CATALOGUES, catalogue, first_sentence


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("One thing.", "One thing"),
        ("One thing. And another.", "One thing"),
        ("As Zhong et al. (2018), v1.2 of it.\n\nMore.", "As Zhong et al. (2018), v1.2 of it"),
        ("Over\n   two lines\n\nand more.", "Over two lines"),
        ("", ""),
    ],
)
def test_the_first_sentence_ends_where_a_reader_would_end_it(text: str, sentence: str) -> None:
    assert first_sentence(text) == sentence


@pytest.mark.parametrize("kind", CATALOGUES)
def test_everything_has_a_name_and_a_sentence(kind: str) -> None:
    found = catalogue(kind)
    assert found
    assert all(sentence and "\n" not in sentence for sentence in found.values())


def test_a_recipe_is_told_by_its_own_numbers() -> None:
    assert catalogue("recipes")["paper"].startswith(
        "300 epochs of rmsprop up to 0.0001, batches of 16, 5 x 5 patches, ssrn"
    )


def test_an_unknown_kind_names_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'losses'"):
        catalogue("loses")
