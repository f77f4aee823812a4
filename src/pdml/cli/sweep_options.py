"""The options of a sweep, apart from those that a single run has too."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

What = Annotated[
    str,
    typer.Argument(help="An experiment; `pdml list experiments` shows them.", show_default=False),
]
Dataset = Annotated[str, typer.Option(help="A scene of the paper, or synthetic.")]
Seeds = Annotated[str, typer.Option(help="0:10 (0 to 9), 3, or 0,2,5.")]
Out = Annotated[
    Path | None, typer.Option(help="Folder of the sweep.", show_default="results/WHAT-DATASET")
]
RecipeName = Annotated[
    str | None, typer.Option(help="Name or TOML file of a recipe.", show_default="the paper's")
]
Variants = Annotated[
    list[str] | None,
    typer.Option(
        "--variant",
        help="Only this row or point; repeatable. In a search of a recipe also any KEY=VALUE.",
        show_default="all",
    ),
]
Split = Annotated[
    str | None,
    typer.Option(
        help="random or blocks: on which split a recipe is searched.", show_default="the scene's"
    ),
]
Final = Annotated[
    bool, typer.Option("--final", help="Also score the test pixels of a search: when it is over.")
]
Jobs = Annotated[int, typer.Option(help="Runs at a time; they share the threads.")]
Twin = Annotated[
    bool, typer.Option("--twin", help="Run on a made-up scene of the same size and labels.")
]
RenderOnly = Annotated[
    bool, typer.Option("--render-only", help="Run nothing, render what is finished.")
]
