"""Options that several commands have in common, written once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Device = Annotated[str, typer.Option(help="auto, cpu, cuda or mps.")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with the run in the folder.")]
Run = Annotated[Path, typer.Argument(help="Folder of a run.", show_default=False)]
