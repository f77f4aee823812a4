"""Variants below each other: our scores, the paper's, and the difference."""

from __future__ import annotations

from dataclasses import replace

from pdml.evaluation.table.table import Cell, NoteBook, Table
from pdml.experiments.quoted import Note
from pdml.experiments.render.caption import caption
from pdml.experiments.render.gathered import (
    LEAKAGE,
    SCORES,
    Gathered,
    VariantRuns,
    mean_and_std,
)

DIFFERENCE = "(ours \N{MINUS SIGN} paper) / \N{GREEK SMALL LETTER SIGMA}"
BEST_ON_TEST = "best on test, OA"


def score_table(gathered: Gathered) -> Table:
    """One row per variant; the paper's columns are there if it has numbers for this scene."""
    notes = NoteBook()
    watched = any(runs.best_on_test() for runs in gathered.runs)
    quoted = [
        score
        for score in SCORES
        if any(gathered.quoted.value(r.variant.name, score)[0] is not None for r in gathered.runs)
    ]
    headings = ["variant", "seeds", *SCORES.values(), LEAKAGE]
    headings += [BEST_ON_TEST] if watched else []
    headings += [f"paper (quoted), {SCORES[score]}" for score in quoted]
    if quoted:
        headings.append(DIFFERENCE)
        headings += [f"best on test: {DIFFERENCE}"] if watched else []
    rows = [_row(runs, gathered, quoted, notes, watched=watched) for runs in gathered.runs]
    return Table(
        title=f"{gathered.scene_title}: {gathered.experiment.title}",
        headings=tuple(Cell(text) for text in headings),
        rows=tuple(_best_in_bold(rows, columns=_compared(watched=watched, n_quoted=len(quoted)))),
        caption=(*caption(gathered, with_quoted=bool(quoted)), *general_notes(gathered)),
        notes=notes.texts,
    )


def _compared(*, watched: bool, n_quoted: int) -> list[int]:
    """The columns of accuracies; between ours and the others stands the leakage."""
    ours, others = 2 + len(SCORES), watched + n_quoted
    return [*range(2, ours), *range(ours + 1, ours + 1 + others)]


def general_notes(gathered: Gathered) -> tuple[str, ...]:
    """Remarks on all quoted numbers."""
    return tuple(note.text for note in gathered.quoted.notes if not note.row)


def texts(notes: tuple[Note, ...]) -> tuple[str, ...]:
    """The words of some remarks."""
    return tuple(note.text for note in notes)


def score_cell(values: dict[int, float]) -> Cell:
    """Mean and spread over seeds; a dash if there is no run."""
    mean, std = mean_and_std(list(values.values()))
    return Cell("\N{EN DASH}", mean, std)


def leakage_cell(runs: VariantRuns) -> Cell:
    """What the split leaks, beside the scores that it makes easy."""
    mean, std = mean_and_std(list(runs.leakage().values()))
    return Cell("\N{EN DASH}", mean, std, digits=1)


def difference_cell(ours: Cell, quoted: tuple[float | None, float | None]) -> Cell:
    """How far our mean is from the paper's, in the paper's standard deviations."""
    mean, std = quoted
    if ours.mean is None or mean is None or not std:
        return Cell("\N{EN DASH}")
    sigmas = (ours.mean - mean) / std
    return Cell(f"{sigmas:+.1f}".replace("-", "\N{MINUS SIGN}"))


def diverged_note(runs: VariantRuns, notes: NoteBook) -> tuple[int, ...]:
    """A note on seeds whose loss stopped being a number."""
    if not runs.diverged:
        return ()
    seeds = ", ".join(map(str, runs.diverged))
    return notes.add(f"The loss stopped being a number with seed {seeds}; not in the mean.")


def _row(
    runs: VariantRuns, gathered: Gathered, quoted: list[str], notes: NoteBook, *, watched: bool
) -> list[Cell]:
    name = runs.variant.name
    ours = {score: score_cell(runs.scores(score)) for score in SCORES}
    on_test = score_cell(runs.best_on_test())
    row = [
        Cell(name, notes=diverged_note(runs, notes)),
        Cell(str(len(runs.records))),
        *ours.values(),
        leakage_cell(runs),
    ]
    row += [on_test] if watched else []
    for score in quoted:
        mean, std = gathered.quoted.value(name, score)
        remarks = gathered.quoted.notes_on(name, score)
        if score == quoted[0]:
            remarks = (*gathered.quoted.notes_on(name), *remarks)
        row.append(Cell("\N{EN DASH}", mean, std, notes=notes.add(*texts(remarks))))
    if quoted:
        value = gathered.quoted.value(name, "oa")
        row.append(difference_cell(ours["oa"], value))
        row += [difference_cell(on_test, value)] if watched else []
    return row


def _best_in_bold(rows: list[list[Cell]], columns: list[int]) -> list[tuple[Cell, ...]]:
    """Marks the highest number of each column, if there is more than one."""
    marked = [list(row) for row in rows]
    for column in columns:
        means = [row[column].mean for row in rows if row[column].mean is not None]
        if len(means) < 2:
            continue
        highest = max(mean for mean in means if mean is not None)
        for row in marked:
            if row[column].mean == highest:
                row[column] = replace(row[column], best=True)
    return [tuple(row) for row in marked]
