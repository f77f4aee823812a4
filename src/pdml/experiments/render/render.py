"""Writing the tables and the figure of a sweep."""

from __future__ import annotations

from pathlib import Path

from pdml.atomic import write_text
from pdml.errors import MissingFileError
from pdml.evaluation.picture import save_picture, save_vector
from pdml.evaluation.table.csv_text import to_csv
from pdml.evaluation.table.latex import to_latex
from pdml.evaluation.table.markdown import to_markdown
from pdml.evaluation.table.table import Table
from pdml.experiments.render.claims_table import claims_table
from pdml.experiments.render.doubts_table import doubts_table
from pdml.experiments.render.figures import draw_figure, draw_maps
from pdml.experiments.render.gathered import Gathered, gather
from pdml.experiments.render.methods_table import methods_table
from pdml.experiments.render.score_table import score_table
from pdml.experiments.render.search_table import search_table
from pdml.experiments.render.splits_table import splits_tables
from pdml.experiments.render.summary_table import summary_table
from pdml.experiments.render.time_table import time_table
from pdml.experiments.render.unknown_table import unknown_by_class, unknown_table
from pdml.experiments.subject import Subject
from pdml.experiments.sweep.scene import sweep_subject
from pdml.experiments.sweep.store import SweepFolder


def render_sweep(folder: SweepFolder, *, subject: Subject | None = None) -> list[Path]:
    """Writes tables (Markdown, LaTeX, CSV) and the figure (PNG, PDF) of all finished runs.

    Args:
        folder: The folder of the sweep.
        subject: Its scene; opened if the figure shows it and it is not given.

    Returns:
        The files, those to look at first in front.

    Raises:
        MissingFileError: If no run is finished.
    """
    gathered = gather(folder)
    if not any(runs.records or runs.diverged for runs in gathered.runs):
        raise MissingFileError(
            f"{folder.path} holds no finished run; run the same command without --render-only"
        )
    by_class = unknown_by_class(gathered) if gathered.experiment.shows == "unknown" else None
    tables = {
        "-methods": summary_table(gathered),
        **_main_tables(gathered),
        "-classes": by_class,
        "-doubts": doubts_table(gathered),
        "-claims": claims_table(gathered),
    }
    kept = {part: table for part, table in tables.items() if table is not None}
    pictures = _write_figure(gathered, folder, subject)
    markdown = folder.path / f"{gathered.stem}.md"
    figures = [
        f"![{gathered.experiment.title}]({path.name})\n"
        for path in pictures
        if path.suffix == ".png"
    ]
    write_text(markdown, "\n".join([*map(to_markdown, kept.values()), *figures]))
    latex = folder.path / f"{gathered.stem}.tex"
    write_text(latex, "\n".join(map(to_latex, kept.values())))
    written = [markdown, *pictures, latex]
    for part, table in kept.items():
        path = folder.path / f"{gathered.stem}{part}.csv"
        write_text(path, to_csv(table))
        written.append(path)
    return written


def _main_tables(gathered: Gathered) -> dict[str, Table]:
    """By what their file names have after the stem."""
    match gathered.experiment.shows:
        case "methods":
            table = methods_table(gathered)
            if not any(runs.variant.method for runs in gathered.runs):
                return {"": table}
            n_quoted = len(gathered.quoted.rows)  # many methods fit below each other only
            return {"": table.turned(rules=(n_quoted - 1,) if n_quoted else ())}
        case "splits":
            return splits_tables(gathered)
    one_table = {"time": time_table, "unknown": unknown_table, "search": search_table}
    return {"": one_table.get(gathered.experiment.shows, score_table)(gathered)}


def _write_figure(gathered: Gathered, folder: SweepFolder, subject: Subject | None) -> list[Path]:
    figures = {"": draw_figure(gathered, folder, subject)}
    if gathered.experiment.keeps == "map" and gathered.experiment.shows != "maps":
        scene = subject or sweep_subject(gathered.manifest["dataset"], twin=gathered.twin)
        figures["-maps"] = draw_maps(gathered, folder, scene)
    written = []
    for part, figure in figures.items():
        if figure is not None:
            picture = folder.path / f"{gathered.stem}{part}.png"
            vector = picture.with_suffix(".pdf")
            save_picture(figure, picture)
            save_vector(figure, vector)
            written += [picture, vector]
    return written
