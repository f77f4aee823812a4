"""What happens around every command."""

from __future__ import annotations

import sys

import pytest
import typer

from pdml.cli.guard import guarded
from pdml.errors import InvalidInputError


def _interrupted(*, resume: bool = False) -> None:
    raise KeyboardInterrupt


def _interrupted_for_good() -> None:
    raise KeyboardInterrupt


def test_an_error_of_several_lines_is_joined_to_one(capsys: pytest.CaptureFixture[str]) -> None:
    def refuse() -> None:
        raise InvalidInputError("bands must vary,\n  got none that does;\nlook again")

    with pytest.raises(typer.Exit) as end:
        guarded(refuse)()
    assert end.value.exit_code == 2
    assert capsys.readouterr().err == "pdml: bands must vary, got none that does; look again\n"


def test_an_unexpected_error_keeps_its_traceback() -> None:
    def broken() -> None:
        raise ZeroDivisionError("a mistake of ours")

    with pytest.raises(ZeroDivisionError, match="a mistake of ours"):
        guarded(broken)()


@pytest.mark.parametrize("given", [[], ["--resume"]])
def test_an_interruption_says_how_to_go_on(
    given: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["/usr/bin/pdml", "train", "my field.npy", *given])
    with pytest.raises(typer.Exit) as end:
        guarded(_interrupted)()
    assert end.value.exit_code == 130
    message = "pdml: interrupted; go on with: pdml train 'my field.npy' --resume\n"
    assert capsys.readouterr().err == message


def test_an_interruption_of_what_cannot_be_resumed_says_how_to_start_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["pdml", "map", "run", "-o", "m.npz"])
    with pytest.raises(typer.Exit) as end:
        guarded(_interrupted_for_good)()
    assert end.value.exit_code == 130
    expected = "pdml: interrupted; start again with: pdml map run -o m.npz\n"
    assert capsys.readouterr().err == expected
