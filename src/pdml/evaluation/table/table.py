"""`Table`: cells with means and spreads, before it is decided how they are written."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Cell:
    """A text, or a number with its spread.

    Attributes:
        text: What is written if there is no number.
        mean: The number.
        std: Its standard deviation, where there is one.
        digits: Decimals of both.
        signed: Whether the number is a difference, written with its sign.
        best: Whether it is the best of its kind, and so set in bold.
        notes: Positions in the notes of the table that it refers to.
    """

    text: str = ""
    mean: float | None = None
    std: float | None = None
    digits: int = 2
    signed: bool = False
    best: bool = False
    notes: tuple[int, ...] = ()

    @property
    def number(self) -> str:
        """The number as it is written, without its spread."""
        return "" if self.mean is None else f"{self.mean:{'+' * self.signed}.{self.digits}f}"


@dataclass(frozen=True)
class Table:
    """A table with everything that its numbers depend on.

    Attributes:
        title: One line.
        headings: One cell per column.
        rows: Cells.
        caption: Sentences: where the numbers come from.
        notes: Remarks that cells refer to.
        rules: Rows after which a line is drawn.
    """

    title: str
    headings: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    rules: tuple[int, ...] = ()

    @property
    def has_numbers(self) -> tuple[bool, ...]:
        """Which columns hold numbers."""
        return tuple(any(cell.mean is not None for cell in column) for column in self.columns)

    @property
    def columns(self) -> tuple[tuple[Cell, ...], ...]:
        """The cells of each column, without its heading."""
        return tuple(zip(*self.rows, strict=True))

    def turned(self, *, rules: tuple[int, ...] = ()) -> Table:
        """The same table with rows and columns exchanged.

        Args:
            rules: New rows after which a line is drawn.
        """
        first, *columns = self.columns
        corner, *headings = self.headings
        return replace(
            self,
            headings=(corner, *first),
            rows=tuple((name, *cells) for name, cells in zip(headings, columns, strict=True)),
            rules=rules,
        )


class NoteBook:
    """Collects the notes of a table while its cells are made, each text once."""

    def __init__(self) -> None:
        self._texts: list[str] = []

    def add(self, *texts: str) -> tuple[int, ...]:
        """Positions of some notes."""
        for text in texts:
            if text not in self._texts:
                self._texts.append(text)
        return tuple(self._texts.index(text) for text in texts)

    @property
    def texts(self) -> tuple[str, ...]:
        """All notes."""
        return tuple(self._texts)


def mark(position: int) -> str:
    """The letter by which a cell refers to a note."""
    return chr(ord("a") + position)
