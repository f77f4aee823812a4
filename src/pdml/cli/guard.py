"""What happens around every command: an error is one line and exit 2, an interruption exit 130."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import ParamSpec, TypeVar

import typer

from pdml.errors import PdmlError

REFUSED = 2
INTERRUPTED = 130

P = ParamSpec("P")
R = TypeVar("R")


def guarded(command: Callable[P, R], *, goes_on: bool = False) -> Callable[P, R]:
    """Wraps a command so that what pdml refuses is one line on stderr, without a traceback.

    Args:
        command: The command.
        goes_on: Whether the same command goes on where it was interrupted.
    """
    resumable = "resume" in signature(command).parameters

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except PdmlError as error:
            _to_stderr(str(error))
            raise typer.Exit(REFUSED) from error
        except KeyboardInterrupt as interrupt:
            _to_stderr(_how_to_go_on(resumable=resumable, goes_on=goes_on))
            raise typer.Exit(INTERRUPTED) from interrupt

    return run


def command_line() -> str:
    """The command as the user typed it, ready to be pasted."""
    return shlex.join(["pdml", *sys.argv[1:]])


def _how_to_go_on(*, resumable: bool, goes_on: bool) -> str:
    if goes_on:
        return f"interrupted; go on where it stopped with: {command_line()}"
    if not resumable:
        return f"interrupted; start again with: {command_line()}"
    resume = "" if "--resume" in sys.argv else " --resume"
    return f"interrupted; go on with: {command_line()}{resume}"


def _to_stderr(message: str) -> None:
    sys.stderr.write(f"pdml: {' '.join(message.split())}\n")
