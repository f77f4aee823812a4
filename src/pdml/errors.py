"""The errors of pdml: each says what must hold, what it got, and what to try.

Every error is a `PdmlError` and also the built-in exception that a caller would expect, so both
`except PdmlError` and `except ValueError` work. The command line prints the message in one line.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class PdmlError(Exception):
    """Anything that pdml refuses, with a message meant for a person."""


class InvalidInputError(PdmlError, ValueError):
    """A value, array or option does not satisfy what must hold."""


class MissingFileError(PdmlError, FileNotFoundError):
    """A file that was named is not there."""


class UnreadableFileError(PdmlError, ValueError):
    """A file is there but is truncated, of another kind, or not ours."""


class StorageError(PdmlError, OSError):
    """Something could not be written; what was there before is still there."""


class RunExistsError(PdmlError, FileExistsError):
    """A folder or file that would be overwritten already holds results."""


class MissingExtraError(PdmlError, ImportError):
    """An optional dependency is needed and not installed."""


class DivergedError(PdmlError, ArithmeticError):
    """Training ran into infinite or undefined numbers."""


class UnknownNameError(PdmlError, LookupError):
    """A name that nothing is registered under."""


def unknown_name(kind: str, name: str, known: Iterable[str]) -> UnknownNameError:
    """Builds the error for a name that is not among those known, with the nearest one.

    Args:
        kind: What the name should have named, in the singular ("backbone", "recipe key").
        name: The name that was given.
        known: All names that would have been accepted.

    Returns:
        The error, ready to be raised.
    """
    choices = sorted(known)
    close = get_close_matches(name, choices, n=1)
    hint = f"did you mean '{close[0]}'?" if close else f"known: {', '.join(choices)}"
    return UnknownNameError(f"unknown {kind} '{name}'; {hint}")
