"""`pdml evaluate`: the model of a run is scored anew on the test pixels of its split."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from pdml.cli.options import Device, Run

if TYPE_CHECKING:
    from pdml.evaluation.metrics import Metrics


def evaluate(
    run: Run,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print metrics.json only.")] = False,
    device: Device = "auto",
) -> None:
    """Score the model of a run anew on its test pixels.

    Example: `pdml evaluate runs/field`
    """
    import json

    from pdml.experiments.evaluate import evaluate_run
    from pdml.experiments.reopen import existing_run

    metrics = evaluate_run(existing_run(run), device=device)
    if as_json:
        sys.stdout.write(json.dumps(metrics, indent=1) + "\n")
    else:
        _show(metrics)


def _show(metrics: Metrics) -> None:
    from pdml.cli.console import say, show_table
    from pdml.cli.scores_text import calibration_in_words, scores_in_words
    from pdml.evaluation.report_tables import PARTS, class_rows, doubt_rows, part_totals

    rows = [[row.name, *row.counts, row.recall] for row in class_rows(metrics)]
    numbers = [*PARTS, "recall"]
    show_table(["class", *numbers], [*rows, ["all", *part_totals(metrics), ""]], numbers=numbers)
    say()
    if doubts := doubt_rows(metrics):
        columns = ["AUROC wrong/right", "AURC", "share of the ideal"]
        cells = [[row.name, row.auroc, row.aurc, row.share_of_ideal] for row in doubts]
        show_table(["measure of doubt", *columns], cells, numbers=columns)
        say()
        say(calibration_in_words(metrics))
    say(scores_in_words(metrics))
