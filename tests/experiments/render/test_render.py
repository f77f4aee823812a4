"""Files of a sweep: which there are, for each kind of experiment."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from pdml.errors import MissingFileError
from pdml.experiments.render.render import render_sweep
from tests.experiments.render.made_up import write_sweep
from tests.experiments.sweep.tiny_sweep import run_tiny, tiny_request


def rendered(folder: Path) -> dict[str, int]:
    """Names of the files that hold tables and figures, and their sizes."""
    kinds = (".md", ".tex", ".csv", ".png", ".pdf")
    return {path.name: path.stat().st_size for path in folder.iterdir() if path.suffix in kinds}


def test_a_table_and_its_claims_are_written_in_all_formats(tmp_path: Path) -> None:
    folder = write_sweep(tmp_path, "losses", {"P. Contrastive": (0.9,), "Npair": (0.8,)})
    written = render_sweep(folder)
    stem = "losses-indian_pines"
    assert [path.name for path in written] == [
        f"{stem}.md", f"{stem}.png", f"{stem}.pdf", f"{stem}.tex", f"{stem}.csv",
        f"{stem}-claims.csv",
    ]  # fmt: skip
    assert rendered(tmp_path).keys() == {path.name for path in written}
    assert min(rendered(tmp_path).values()) > 0
    text = written[0].read_text(encoding="utf-8")
    assert text.count("\n## ") + text.startswith("## ") == 2
    assert f"({stem}.png)" in text
    assert written[3].read_text(encoding="utf-8").count(r"\begin{table}") == 2


def test_what_is_rendered_twice_is_the_same(tmp_path: Path) -> None:
    folder = write_sweep(tmp_path, "patches", {"3 \u00d7 3": (0.9, 0.8), "5 \u00d7 5": (0.8,)})
    before = {path: path.read_bytes() for path in render_sweep(folder)}
    assert {path: path.read_bytes() for path in render_sweep(folder)} == before


def test_seconds_have_no_figure_and_no_claims(tmp_path: Path) -> None:
    folder = write_sweep(tmp_path, "time", {"SSRN": (0.2,), "PDML": (0.9,)})
    assert [path.suffix for path in render_sweep(folder)] == [".md", ".tex", ".csv"]


def test_the_files_of_a_twin_are_named_after_it(tmp_path: Path) -> None:
    runs = {"SSRN": (0.2,), "PDML": (0.9,)}
    folder = write_sweep(tmp_path, "results", runs, dataset="ksc", twin=True, n_classes=13)
    assert all("-twin" in path.name for path in render_sweep(folder))
    assert (tmp_path / "runs-twin.jsonl").is_file()


def test_maps_and_embeddings_are_drawn_from_what_the_runs_kept(tmp_path: Path) -> None:
    for experiment in ("maps", "tsne"):
        run_tiny(tiny_request(experiment), tmp_path / experiment)
        folder = render_anew(tmp_path / experiment)
        with Image.open(folder / f"{experiment}-synthetic.png") as image:
            assert min(image.size) > 300


def render_anew(path: Path) -> Path:
    from pdml.experiments.sweep.store import SweepFolder

    render_sweep(SweepFolder(path))
    return path


def test_a_folder_without_a_finished_run_is_refused(tmp_path: Path) -> None:
    folder = write_sweep(tmp_path, "losses", {})
    with pytest.raises(MissingFileError, match=r"holds no finished run; run the same command"):
        render_sweep(folder)
    assert rendered(tmp_path) == {}
