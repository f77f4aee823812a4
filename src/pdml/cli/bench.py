"""`pdml bench`: how fast training, the pair loss and mapping are, how large a scene may be."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pdml.errors import InvalidInputError, unknown_name

if TYPE_CHECKING:
    from rich.console import Console

    from pdml.benchmarks.result import BenchResult

WHAT = ("train", "loss", "map", "large")
ROUNDS = 15
LARGE_ROUNDS = 3


def bench(
    what: Annotated[str, typer.Argument(help="train, loss, map or large.")],
    rounds: Annotated[
        int | None,
        typer.Option(
            min=3,
            help="How often everything is measured; in large the small scene.",
            show_default=f"{ROUNDS}, {LARGE_ROUNDS} for large",
        ),
    ] = None,
    rows: Annotated[
        int | None,
        typer.Option(
            min=1, help="Rows of the large scene of 2000 columns.", show_default="20000, 16 GB"
        ),
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Also write all numbers to a file.")
    ] = None,
) -> None:
    """Measure speed against the plain way of writing the same thing, alternately in one run.

    `large` maps a scene of 16 GB under 2 GB of memory, and compares its time per pixel with that of
    a small scene. It takes some minutes.

    Times are medians; the spread is the distance between the quartiles. Only ratios mean something
    on another machine.

    Example: `pdml bench loss --rounds 9`
    """
    if what not in WHAT:
        raise unknown_name("measurement", what, WHAT)
    if rows is not None and what != "large":
        raise InvalidInputError(f"--rows belongs to `pdml bench large`, got it with {what}")

    from rich.console import Console
    from rich.progress import Progress

    from pdml.allocator import keep_freed_memory
    from pdml.atomic import write_text

    keep_freed_memory()
    console = Console()
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("measuring", total=None)
        result = _measurement(what, rows)(
            rounds=rounds or (LARGE_ROUNDS if what == "large" else ROUNDS),
            on_round=lambda done, total: progress.update(task, completed=done, total=total),
        )
    _show(result, console)
    if json_file is not None:
        write_text(json_file, json.dumps(result.to_dict(), indent=1) + "\n")


def _measurement(what: str, rows: int | None) -> Callable[..., BenchResult]:
    from pdml.benchmarks.bench_large import LARGE_ROWS, bench_large
    from pdml.benchmarks.bench_loss import bench_loss
    from pdml.benchmarks.bench_map import bench_map
    from pdml.benchmarks.bench_train import bench_train

    measurements: dict[str, Callable[..., BenchResult]] = {
        "train": bench_train,
        "loss": bench_loss,
        "map": bench_map,
        "large": partial(bench_large, rows=rows or LARGE_ROWS),
    }
    return measurements[what]


def _show(result: BenchResult, console: Console) -> None:
    from rich.table import Table

    times = Table(title=f"pdml bench {result.name}")
    for column in ("what", "median", "spread", "GFLOP/s"):
        times.add_column(column, justify="left" if column == "what" else "right")
    for name, timing in result.timings.items():
        rate = f"{timing.gflops:.0f}" if timing.gflops else ""
        times.add_row(name, f"{1e3 * timing.median:.1f} ms", f"{timing.spread:.0%}", rate)
    console.print(times)
    claims = Table(title="what follows")
    for column in ("what", "measured", "aim", ""):
        claims.add_column(column, justify="right" if column == "measured" else "left")
    for claim in result.claims:
        verdict = ("met" if claim.holds else "missed") if claim.aim else ""
        claims.add_row(claim.what, f"{claim.value:.2f}", claim.aim, verdict)
    for name, megabytes in result.memory.items():
        claims.add_row(f"peak extra memory: {name}", f"{megabytes:.0f} MB", "", "")
    console.print(claims)
