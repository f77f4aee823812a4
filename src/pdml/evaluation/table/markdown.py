"""A table as Markdown."""

from __future__ import annotations

from pdml.evaluation.table.table import Cell, Table, mark


def to_markdown(table: Table) -> str:
    """The title as a heading, the table, then its caption and notes."""
    lines = [f"## {table.title}", ""]
    lines.append(_row([_cell(cell) for cell in table.headings]))
    lines.append(_row(["---:" if number else "---" for number in table.has_numbers]))
    lines += [_row([_cell(cell) for cell in row]) for row in table.rows]
    lines += ["", " ".join(table.caption)] if table.caption else []
    for position, note in enumerate(table.notes):
        lines += ["", f"<sup>{mark(position)}</sup> {note}"]
    return "\n".join(lines) + "\n"


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell) -> str:
    text = cell.text.replace("|", "\\|")
    if cell.mean is not None:
        text = cell.number.replace("-", "\N{MINUS SIGN}")
        if cell.std is not None:
            text += f" \N{PLUS-MINUS SIGN} {cell.std:.{cell.digits}f}"
    if cell.best:
        text = f"**{text}**"
    marks = ",".join(mark(position) for position in cell.notes)
    return f"{text}<sup>{marks}</sup>" if marks else text
