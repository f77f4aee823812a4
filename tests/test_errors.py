"""Every error is a `PdmlError` and the built-in one that a caller would expect."""

from __future__ import annotations

import pytest

from pdml import errors


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [
        (errors.InvalidInputError, ValueError),
        (errors.MissingFileError, FileNotFoundError),
        (errors.UnreadableFileError, ValueError),
        (errors.StorageError, OSError),
        (errors.RunExistsError, FileExistsError),
        (errors.MissingExtraError, ImportError),
        (errors.DivergedError, ArithmeticError),
        (errors.UnknownNameError, LookupError),
    ],
)
def test_an_error_is_ours_and_the_expected_one_and_prints_its_message(
    kind: type[errors.PdmlError], builtin: type[Exception]
) -> None:
    assert issubclass(kind, errors.PdmlError)
    assert issubclass(kind, builtin)
    assert str(kind("one line that says 'what' to do")) == "one line that says 'what' to do"


def test_every_error_of_the_module_is_listed_above() -> None:
    kinds = [
        one
        for one in vars(errors).values()
        if isinstance(one, type) and issubclass(one, errors.PdmlError)
    ]
    assert len(kinds) == 1 + 8


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("oack", "unknown tree 'oack'; did you mean 'oak'?"),
        ("pimes", "unknown tree 'pimes'; did you mean 'pine'?"),
        ("granite", "unknown tree 'granite'; known: beech, oak, pine"),
        ("", "unknown tree ''; known: beech, oak, pine"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest_or_with_all(name: str, message: str) -> None:
    error = errors.unknown_name("tree", name, iter(["pine", "oak", "beech"]))
    assert isinstance(error, errors.UnknownNameError)
    assert str(error) == message
