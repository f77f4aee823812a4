"""Pictures become PNG files, whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from matplotlib.figure import Figure
from PIL import Image

from pdml.errors import InvalidInputError, StorageError
from pdml.evaluation.picture import picture_bytes, save_picture, save_vector


def test_a_picture_keeps_the_size_for_which_it_was_laid_out(tmp_path: Path) -> None:
    save_picture(Figure(figsize=(2, 1), dpi=150), tmp_path / "new" / "picture.png")
    with Image.open(tmp_path / "new" / "picture.png") as image:
        assert image.size == (300, 150)
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["picture.png"]


def test_the_same_figure_gives_the_same_bytes() -> None:
    figure = Figure(figsize=(1, 1))
    assert picture_bytes(figure) == picture_bytes(figure)


def test_another_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"written as PNG, got the file name 'map\.pdf'"):
        save_picture(Figure(), tmp_path / "map.pdf")


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(StorageError, match=r"cannot write .*picture\.png"):
        save_picture(Figure(figsize=(1, 1)), tmp_path / "file" / "picture.png")


def test_a_vector_picture_is_the_same_each_time_and_ends_in_pdf(tmp_path: Path) -> None:
    figures = [Figure(figsize=(1, 1)) for _ in range(2)]
    for number, figure in enumerate(figures):
        figure.text(0.5, 0.5, "x")
        save_vector(figure, tmp_path / f"{number}.pdf")
    first, second = ((tmp_path / f"{number}.pdf").read_bytes() for number in range(2))
    assert first.startswith(b"%PDF-")
    assert first == second
    with pytest.raises(InvalidInputError, match=r"are written as PDF, got the file name 'x\.png'"):
        save_vector(figures[0], tmp_path / "x.png")
