"""What the paper claims, tested seed by seed on our runs."""

from __future__ import annotations

import numpy as np

from pdml.evaluation.significance import FEWEST_PAIRS, LEVEL, paired_test
from pdml.evaluation.table.table import Cell, Table
from pdml.experiments.experiment import Claim
from pdml.experiments.render.caption import caption
from pdml.experiments.render.gathered import SCORES, Gathered

_DELTA = "\N{GREEK CAPITAL LETTER DELTA}"


def claims_table(gathered: Gathered) -> Table | None:
    """One row per claim; None if the experiment makes none."""
    if not gathered.experiment.claims:
        return None
    headings = ["claim", "pairs", *(f"{_DELTA} {label}" for label in SCORES.values())]
    return Table(
        title=f"{gathered.scene_title}: what the paper claims, on our runs",
        headings=tuple(Cell(text) for text in [*headings, "p (OA)", "verdict"]),
        rows=tuple(_row(claim, gathered) for claim in gathered.experiment.claims),
        caption=(
            *caption(gathered, with_quoted=False, numbers="differences in points of a per cent"),
            f"{_DELTA} is the mean difference over the seeds that both have. p is that "
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
        return (name, Cell("0"), *[dash] * len(SCORES), dash, Cell("not run"))
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
        Cell("\N{EN DASH}") if of_oa.p is None else Cell(mean=of_oa.p, digits=4),
        Cell(of_oa.verdict),
    )


def _difference(value: float | None) -> Cell:
    if value is None:
        return Cell("\N{EN DASH}")
    return Cell(f"{value:+.2f}".replace("-", "\N{MINUS SIGN}"))
