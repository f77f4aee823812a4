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
Final = Annotated[
    bool, typer.Option("--final", help="Also score the test pixels of a search: when it is over.")
]
Methods = Annotated[
    str | None,
    typer.Option(
        help="With results: methods to compare PDML with, such as svm,rf,cnn2d, or all. "
        "`pdml list methods` shows them.",
        show_default="ssrn",
    ),
]
Protocols = Annotated[
    str,
    typer.Option(
        help="How each network is trained: common (the recipe), own (as its article does), "
        "pdml (under the PDML head)."
    ),
]
Split = Annotated[
    str | None,
    typer.Option(
        help="blocks (spatially apart); for the search of a recipe also random.",
        show_default="the paper's",
    ),
]
Jobs = Annotated[int, typer.Option(help="Runs at a time; they share the threads.")]
Twin = Annotated[
    bool, typer.Option("--twin", help="Run on a made-up scene of the same size and labels.")
]
RenderOnly = Annotated[
    bool, typer.Option("--render-only", help="Run nothing, render what is finished.")
]
