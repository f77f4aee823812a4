"""`pdml demo`: a real scene, a model, a map and a report in a few minutes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pdml.cli.options import Device, Resume

SCENE = "indian_pines"
RECIPE = "quick"


def demo(
    *,
    out: Annotated[Path, typer.Option(help="Folder of the run.")] = Path("demo"),
    resume: Resume = False,
    device: Device = "auto",
) -> None:
    """Classify Indian Pines in a few minutes, to see what comes of it.

    Example: `pdml demo --out demo`
    """
    from pdml.cli.console import say, show_table
    from pdml.cli.show_run import run_and_show
    from pdml.evaluation.report import CAPTIONS
    from pdml.experiments.plan import RunRequest
    from pdml.experiments.run_folder import RunFolder
    from pdml.experiments.split_request import SplitRequest

    folder = RunFolder(out)
    if not resume:
        folder.require_free()
    say(
        "Indian Pines is farmland in Indiana, seen from the air in 200 bands. A network learns "
        f"from a fifth of the labelled pixels (recipe '{RECIPE}'), then classifies every pixel and "
        "says how sure it is. This takes a few minutes."
    )
    request = RunRequest(scene=SCENE, recipe=RECIPE, seed=0, split=SplitRequest("random"))
    run_and_show(request, folder, resume=resume, device=device)
    say()
    pictures = [[str(path), CAPTIONS[name]] for name, path in folder.pictures().items()]
    report = [str(folder.report), "All of it on one page; open it in a browser."]
    show_table(["what to look at", "what it shows"], [*pictures, report])
    say()
    say("How well does it do on ground that it has not seen? Try:")
    say(f"  pdml train {SCENE} --recipe {RECIPE} --split blocks")
