"""`pdml train`: a scene and a recipe become a run folder."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def train(
    scene: Annotated[str, typer.Argument(help="A dataset's name or a file.")],
    out: Annotated[Path, typer.Option(help="Folder for the run.")],
    recipe: Annotated[str, typer.Option(help="Name or TOML file of a recipe.")] = "default",
    settings: Annotated[list[str], typer.Option("--set", help="key=value over the recipe.")] = [],  # noqa: B006
    labels: Annotated[str | None, typer.Option(help="File with the labels.")] = None,
    split: Annotated[str, typer.Option(help="random, per-class, blocks or published.")] = "random",
    seed: Annotated[int, typer.Option(help="Of everything random.")] = 0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a run.")] = False,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda or mps.")] = "auto",
) -> None:
    """Train a model on a scene, map it, score it and write a report.

    Example: `pdml train indian_pines --recipe quick --out runs/quick`
    """
    from pdml.experiments.listener import Listener
    from pdml.experiments.run import RunOptions, run
    from pdml.experiments.run_folder import RunFolder
    from pdml.experiments.subject import open_subject, require_labels
    from pdml.splits.strategies import make_split
    from pdml.training.history import Row
    from pdml.training.recipe import load_recipe, parse_value

    class Printer(Listener):
        def epoch(self, row: Row, n_epochs: int) -> None:
            sys.stdout.write(f"{ {k: round(v, 4) for k, v in row.items()} }\n")
            sys.stdout.flush()

    pairs = [text.partition("=") for text in settings]
    chosen = load_recipe(recipe).changed({key: parse_value(key, text) for key, _, text in pairs})
    subject = open_subject(scene, labels=labels)
    made = make_split(require_labels(subject), split, options={"seed": seed})
    command = "pdml " + " ".join(sys.argv[1:])
    metrics = run(
        subject,
        made,
        chosen,
        RunFolder(out),
        options=RunOptions(seed=seed, resume=resume, device=device, command=command),
        listener=Printer(),
    )
    sys.stdout.write(f"{metrics}\n")
