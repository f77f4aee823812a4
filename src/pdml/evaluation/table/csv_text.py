"""A table as CSV: numbers as numbers, spreads in columns of their own."""

from __future__ import annotations

import csv
import io

from pdml.evaluation.table.table import Cell, Table


def to_csv(table: Table) -> str:
    """Headings, then rows; a column whose numbers have spreads becomes two."""
    with_std = [any(cell.std is not None for cell in column) for column in table.columns]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    headings: list[str] = []
    for heading, wide in zip(table.headings, with_std, strict=True):
        headings += [heading.text, f"{heading.text}, std"] if wide else [heading.text]
    writer.writerow(headings)
    for row in table.rows:
        values: list[str] = []
        for cell, wide in zip(row, with_std, strict=True):
            values += [_value(cell), _number(cell.std, cell.digits)] if wide else [_value(cell)]
        writer.writerow(values)
    return text.getvalue()


def _value(cell: Cell) -> str:
    return cell.text if cell.mean is None else _number(cell.mean, cell.digits)


def _number(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"
