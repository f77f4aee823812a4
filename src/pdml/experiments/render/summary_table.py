"""All methods below each other: how they were trained, how they did, and what they cost."""

from __future__ import annotations

from dataclasses import replace

from pdml.baselines.method import Method, NetworkMethod, method_named
from pdml.evaluation.table.table import Cell, NoteBook, Table
from pdml.experiments.experiment import Variant
from pdml.experiments.render.caption import caption
from pdml.experiments.render.gathered import SCORES, Gathered, VariantRuns, mean_and_std
from pdml.experiments.render.score_table import diverged_note, score_cell

DASH = Cell("\N{EN DASH}")
HEADINGS = (
    "method", "layers", "training", "patch", "seeds", *SCORES.values(), "paper (quoted), OA",
    "train (s)", "map (s)", "values", "leakage (%)",
)  # fmt: skip
FIRST_SCORE = HEADINGS.index("OA")
OWN = "own protocol"
OURS = "one protocol"
ON_TRAINING_PIXELS = "no network"


def summary_table(gathered: Gathered) -> Table | None:
    """One row per variant; None as long as no method was compared."""
    if not any(runs.variant.method for runs in gathered.runs):
        return None
    notes = NoteBook()
    rows = [_row(runs, gathered, notes) for runs in gathered.runs]
    return Table(
        title=f"{gathered.scene_title}: all methods",
        headings=tuple(Cell(text) for text in HEADINGS),
        rows=_best_in_bold(rows),
        caption=(*caption(gathered, with_quoted=bool(gathered.quoted.rows)), *_words(gathered)),
        notes=notes.texts,
    )


def _words(gathered: Gathered) -> tuple[str, ...]:
    """What the columns mean."""
    manifest = gathered.manifest
    epochs = "; its epochs are those above" if "epochs" in manifest["settings"] else ""
    return (
        f"'{OURS}': optimiser, rates, epochs and choice of the epoch are those of the recipe "
        f"{manifest['recipe_name']} for all networks alike; patches and inputs are each network's "
        f"own. '{OWN}': as its article trains it{epochs}. '{ON_TRAINING_PIXELS}': a classical "
        "method, which finds what it needs on training pixels.",
        "'exact': the layers are those of the article. 'reconstruction': sizes are ours, and the "
        "number is not the authors'.",
        "'values' are those that were learnt and are kept. Seconds are of this machine. Leakage is "
        "the share of the test pixels with a training pixel inside their own patch, or within "
        "5 \N{MULTIPLICATION SIGN} 5 pixels for methods of single pixels.",
    )


def _row(runs: VariantRuns, gathered: Gathered, notes: NoteBook) -> list[Cell]:
    variant, records = runs.variant, runs.records
    mean, std = gathered.quoted.value(variant.quoted_name, "oa")
    method = method_named(variant.method) if variant.method else None
    return [
        Cell(variant.name, notes=diverged_note(runs, notes)),
        DASH if method is None else Cell(method.status),
        Cell(_training(variant, method)),
        Cell(str(records[0]["recipe"]["patch_size"])) if records else DASH,
        Cell(str(len(records))),
        *(score_cell(runs.scores(score)) for score in SCORES),
        Cell("\N{EN DASH}", mean, std),
        _seconds(runs, "train"),
        _seconds(runs, "map"),
        Cell(str(records[0]["parameters"])) if records else DASH,
        _leakage(runs),
    ]


def _training(variant: Variant, method: Method | None) -> str:
    if method is not None and not isinstance(method, NetworkMethod):
        return ON_TRAINING_PIXELS
    return OWN if variant.own_protocol else OURS


def _seconds(runs: VariantRuns, stage: str) -> Cell:
    """The mean over the runs that measured it."""
    found = [record["seconds"][stage] for record in runs.records if stage in record["seconds"]]
    mean, _ = mean_and_std(found)
    return Cell("\N{EN DASH}", mean, digits=1)


def _leakage(runs: VariantRuns) -> Cell:
    found = [100 * record["leakage"]["own_patch_share"] for record in runs.records]
    mean, _ = mean_and_std(found)
    return Cell("\N{EN DASH}", mean, digits=1)


def _best_in_bold(rows: list[list[Cell]]) -> tuple[tuple[Cell, ...], ...]:
    """Marks the highest of our scores, if there is more than one."""
    marked = [list(row) for row in rows]
    for column in range(FIRST_SCORE, FIRST_SCORE + len(SCORES)):
        means = [row[column].mean for row in rows if row[column].mean is not None]
        if len(means) > 1:
            highest = max(mean for mean in means if mean is not None)
            for row in marked:
                if row[column].mean == highest:
                    row[column] = replace(row[column], best=True)
    return tuple(tuple(row) for row in marked)
