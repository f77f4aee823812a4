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
    from pdml.cli.scores_text import scores_in_words
    from pdml.evaluation.report_tables import PARTS, class_rows, part_totals

    rows = [[row.name, *row.counts, row.recall] for row in class_rows(metrics)]
    numbers = [*PARTS, "recall"]
    show_table(["class", *numbers], [*rows, ["all", *part_totals(metrics), ""]], numbers=numbers)
    say()
    say(scores_in_words(metrics))
