"""Tables as Markdown, LaTeX and CSV, letter by letter."""

from __future__ import annotations

import csv
import io

import pytest

from pdml.evaluation.table.csv_text import to_csv
from pdml.evaluation.table.latex import to_latex
from pdml.evaluation.table.markdown import to_markdown
from pdml.evaluation.table.table import Cell, NoteBook, Table


@pytest.fixture
def table() -> Table:
    notes = NoteBook()
    slip = notes.add("A slip: 5 % too much.")
    return Table(
        title="Losses & more",
        headings=(Cell("loss"), Cell("OA", notes=slip), Cell("\u03ba \u00d7 100")),
        rows=(
            (Cell("a_b"), Cell(mean=99.554, std=0.09, best=True), Cell(mean=-1.0)),
            (Cell("P|Q"), Cell("\u2013"), Cell(mean=2.5, digits=1, notes=slip)),
        ),
        caption=("From 3 seeds.", "50 % leak."),
        notes=notes.texts,
        rules=(0,),
    )


def test_markdown_has_bold_spreads_and_notes(table: Table) -> None:
    assert to_markdown(table).splitlines() == [
        "## Losses & more",
        "",
        "| loss | OA<sup>a</sup> | \u03ba \u00d7 100 |",
        "| --- | ---: | ---: |",
        "| a_b | **99.55 \u00b1 0.09** | \N{MINUS SIGN}1.00 |",
        "| P\\|Q | \u2013 | 2.5<sup>a</sup> |",
        "",
        "From 3 seeds. 50 % leak.",
        "",
        "<sup>a</sup> A slip: 5 % too much.",
    ]


def test_latex_is_booktabs_with_its_special_letters_escaped(table: Table) -> None:
    assert to_latex(table).splitlines() == [
        r"\begin{table}[t]\scriptsize",
        r"\centering",
        r"\caption{Losses \& more. From 3 seeds. 50 \% leak.}",
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"loss & OA$^{a}$ & $\kappa$ $\times$ 100 \\",
        r"\midrule",
        r"a\_b & \textbf{99.55$\pm$0.09} & $-$1.00 \\",
        r"\midrule",
        r"P|Q & -- & 2.5$^{a}$ \\",
        r"\bottomrule",
        r"\end{tabular}",
        "",
        r"\smallskip$^{a}$ A slip: 5 \% too much.",
        r"\end{table}",
    ]


def test_csv_has_numbers_and_spreads_in_columns_of_their_own(table: Table) -> None:
    rows = list(csv.reader(io.StringIO(to_csv(table))))
    assert rows == [
        ["loss", "OA", "OA, std", "\u03ba \u00d7 100"],
        ["a_b", "99.55", "0.09", "-1.00"],
        ["P|Q", "\u2013", "", "2.5"],
    ]


def test_a_note_that_is_added_twice_stands_once() -> None:
    notes = NoteBook()
    assert notes.add("one", "two") == (0, 1)
    assert notes.add("two", "three") == (1, 2)
    assert notes.texts == ("one", "two", "three")


def test_turned_rows_become_columns(table: Table) -> None:
    turned = table.turned(rules=(0,))
    assert [cell.text for cell in turned.headings[1:]] == [row[0].text for row in table.rows]
    for number, row in enumerate(turned.rows, start=1):
        assert row[0] == table.headings[number]
        assert list(row[1:]) == [cells[number] for cells in table.rows]
    assert turned.rules == (0,)
    assert turned.turned(rules=table.rules) == table


def test_a_wide_table_is_shrunk_to_the_text() -> None:
    for n_columns, shrunk in ((12, False), (13, True)):
        row = (Cell("x"),) * n_columns
        lines = to_latex(Table("wide", row, (row,))).splitlines()
        assert (r"\resizebox{\textwidth}{!}{%" in lines) == shrunk
        assert ("}" in lines) == shrunk
