"""Printing: plain sentences and tables, without control codes where nobody looks at a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

# What a report may print and a terminal of another encoding may not.
_PLAIN = str.maketrans({"\N{NO-BREAK SPACE}": " ", "\N{EN DASH}": "-"})


def make_console() -> Console:
    """The console on standard output as it is now."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False)


def plain(text: str) -> str:
    """Text in characters that every terminal can show."""
    return text.translate(_PLAIN)


def say(text: str = "") -> None:
    """Prints a sentence; a terminal breaks it between words, a file gets it in one line."""
    console = make_console()
    console.print(plain(text), soft_wrap=not console.is_terminal)


def show_table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: Sequence[str] = ()
) -> None:
    """Prints a table.

    Args:
        headings: One per column.
        rows: One text per cell.
        numbers: Headings of the columns that are set flush right.
    """
    from rich.box import ASCII, SIMPLE_HEAD
    from rich.table import Table

    console = make_console()
    ascii_only = not console.encoding.lower().startswith("utf")
    table = Table(box=ASCII if ascii_only else SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for heading in headings:
        table.add_column(heading, justify="right" if heading in numbers else "left")
    for row in rows:
        table.add_row(*(plain(cell) for cell in row))
    console.print(table)
