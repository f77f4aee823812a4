"""What is claimed of the variants, tested seed by seed on our runs."""

from __future__ import annotations

import numpy as np

from pdml.evaluation.significance import FEWEST_PAIRS, LEVEL, paired_test
from pdml.evaluation.table.table import Cell, Table
from pdml.experiments.experiment import Claim
from pdml.experiments.render.caption import caption, how_in_words
from pdml.experiments.render.gathered import SCORES, Gathered, VariantRuns

_FEWER = "fewer errors (%)"
_DELTA = "\N{GREEK CAPITAL LETTER DELTA}"


def claims_table(gathered: Gathered) -> Table | None:
    """One row per claim; None if the experiment makes none."""
    if not _shown(gathered):
        return None
    headings = ["claim", "pairs", *(f"{_DELTA} {label}" for label in SCORES.values()), _FEWER]
    whose = "what the paper claims, on our runs" if gathered.experiment.source else "seed by seed"
    return Table(
        title=f"{gathered.scene_title}: {whose}",
        headings=tuple(Cell(text) for text in [*headings, "p (OA)", "verdict"]),
        rows=tuple(_row(claim, gathered) for claim in _shown(gathered)),
        caption=(
            *_caption(gathered),
            f"{_DELTA} is the mean difference over the seeds that both have; fewer errors is by "
            "how many per cent there are fewer wrong test pixels over these seeds. p is that "
            "of Wilcoxon's signed-rank test on OA, two-sided, not corrected for the number of "
            f"claims; a claim holds below {LEVEL:g}, which fewer than {FEWEST_PAIRS} pairs "
            "cannot reach.",
        ),
    )


def _row(claim: Claim, gathered: Gathered) -> tuple[Cell, ...]:
    better, worse = gathered.of(claim.better), gathered.of(claim.worse)
    name = Cell(f"{claim.better} beats {claim.worse}")
    seeds = sorted(set(better.seeds) & set(worse.seeds))
    if not seeds:
        dash = Cell("\N{EN DASH}")
        return (name, Cell("0"), *[dash] * (len(SCORES) + 2), Cell("not run"))
    tests = {}
    for score in SCORES:
        ours, theirs = better.scores(score), worse.scores(score)
        both = [seed for seed in seeds if seed in ours and seed in theirs]
        if both:
            tests[score] = paired_test(
                np.array([ours[seed] for seed in both]), np.array([theirs[seed] for seed in both])
            )
    of_oa = tests["oa"]
    return (
        name,
        Cell(str(of_oa.n_pairs)),
        *(_difference(tests[s].mean_difference if s in tests else None) for s in SCORES),
        _fewer_errors(better, worse, seeds),
        Cell("\N{EN DASH}") if of_oa.p is None else Cell(mean=of_oa.p, digits=4),
        Cell(of_oa.verdict),
    )


def _shown(gathered: Gathered) -> tuple[Claim, ...]:
    """All claims of the paper; of our own those that have runs: a split may be missing."""
    claims = gathered.experiment.claims
    if gathered.experiment.source:
        return claims
    ran = {runs.variant.name for runs in gathered.runs if runs.records}
    return tuple(claim for claim in claims if {claim.better, claim.worse} <= ran)


def _fewer_errors(better: VariantRuns, worse: VariantRuns, seeds: list[int]) -> Cell:
    ours, theirs = (
        sum(100 - runs.scores("oa")[seed] for seed in seeds) for runs in (better, worse)
    )
    return Cell("\N{EN DASH}", 100 * (1 - ours / theirs) if theirs else None, digits=1, signed=True)


def _caption(gathered: Gathered) -> tuple[str, ...]:
    numbers = "differences in points of a per cent"
    if gathered.experiment.shows == "splits":
        return how_in_words(gathered, numbers)
    return caption(gathered, with_quoted=False, numbers=numbers)


def _difference(value: float | None) -> Cell:
    if value is None:
        return Cell("\N{EN DASH}")
    return Cell(f"{value:+.2f}".replace("-", "\N{MINUS SIGN}"))
