"""A table as LaTeX, for the packages booktabs and, where it is wide, graphicx."""

from __future__ import annotations

from pdml.evaluation.table.table import Cell, Table, mark

_SYMBOLS = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "%": r"\%",
    "&": r"\&",
    "_": r"\_",
    "#": r"\#",
    "$": r"\$",
    "^": r"\^{}",
    "~": r"\~{}",
    "<": "$<$",
    ">": "$>$",
    "\N{GREEK SMALL LETTER KAPPA}": r"$\kappa$",
    "\N{GREEK SMALL LETTER LAMDA}": r"$\lambda$",
    "\N{GREEK SMALL LETTER SIGMA}": r"$\sigma$",
    "\N{GREEK CAPITAL LETTER DELTA}": r"$\Delta$",
    "\N{MULTIPLICATION SIGN}": r"$\times$",
    "\N{PLUS-MINUS SIGN}": r"$\pm$",
    "\N{MINUS SIGN}": "$-$",
    "\N{EN DASH}": "--",
    "\N{NO-BREAK SPACE}": "~",
    "\N{SUBSCRIPT ONE}": "$_1$",
    "\N{SUBSCRIPT TWO}": "$_2$",
    "\N{SUBSCRIPT THREE}": "$_3$",
}
_TABLE = str.maketrans(_SYMBOLS)

MOST_COLUMNS = 12
"""Wider tables are shrunk to the width of the text."""


def to_latex(table: Table) -> str:
    """A `table` environment with caption, rules of booktabs and the notes below."""
    columns = "".join("r" if number else "l" for number in table.has_numbers)
    wide = len(table.headings) > MOST_COLUMNS
    lines = [
        r"\begin{table}[t]\scriptsize",
        r"\centering",
        rf"\caption{{{_escaped(' '.join([f'{table.title}.', *table.caption]))}}}",
        *([r"\resizebox{\textwidth}{!}{%"] if wide else []),
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        _row(table.headings),
        r"\midrule",
    ]
    for number, row in enumerate(table.rows):
        lines.append(_row(row))
        if number in table.rules:
            lines.append(r"\midrule")
    lines += [r"\bottomrule", r"\end{tabular}", *(["}"] if wide else [])]
    for position, note in enumerate(table.notes):
        lines += ["", rf"\smallskip$^{{{mark(position)}}}$ {_escaped(note)}"]
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def _escaped(text: str) -> str:
    return text.translate(_TABLE)


def _row(cells: tuple[Cell, ...]) -> str:
    return " & ".join(map(_cell, cells)) + r" \\"


def _cell(cell: Cell) -> str:
    text = _escaped(cell.text)
    if cell.mean is not None:
        text = cell.number.replace("-", "$-$")
        if cell.std is not None:
            text += rf"$\pm${cell.std:.{cell.digits}f}"
    if cell.best:
        text = rf"\textbf{{{text}}}"
    marks = ",".join(mark(position) for position in cell.notes)
    return rf"{text}$^{{{marks}}}$" if marks else text
