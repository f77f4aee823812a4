"""A rectangle of pixels: the unit in which scenes are read and maps are made."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Window:
    """Rows `row_start` to `row_stop` and columns `col_start` to `col_stop`, ends excluded."""

    row_start: int
    row_stop: int
    col_start: int
    col_stop: int

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self.row_stop - self.row_start, self.col_stop - self.col_start

    @property
    def slices(self) -> tuple[slice, slice]:
        """The window as an index of an array whose first axes are (row, col)."""
        return slice(self.row_start, self.row_stop), slice(self.col_start, self.col_stop)

    def grown(self, margin: int, *, within: tuple[int, int]) -> Window:
        """The window with a margin on each side, cut to an image of the given shape."""
        n_rows, n_cols = within
        return Window(
            max(0, self.row_start - margin),
            min(n_rows, self.row_stop + margin),
            max(0, self.col_start - margin),
            min(n_cols, self.col_stop + margin),
        )
