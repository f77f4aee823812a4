"""Figures of scores: every number that is drawn is one that was given."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure

from pdml.evaluation.score_plot import ScoredPoint, dots_picture, groups_picture, lines_picture

OURS = {"oa": (90.0, 92.0), "aa": (80.0, 84.0), "kappa": (70.0, 70.0)}
QUOTED = {"oa": (95.0, 0.5), "kappa": (94.0, None)}


def centres(figure: Figure, panel: int) -> list[tuple[float, float]]:
    """Middle points of everything with an error bar."""
    found = []
    for bar in figure.axes[panel].containers:
        assert isinstance(bar, ErrorbarContainer)
        x, y = bar.lines[0].get_data()
        found += list(zip(np.atleast_1d(x).tolist(), np.atleast_1d(y).tolist(), strict=True))
    return found


def legend_of(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_dots_stand_at_the_mean_of_the_runs_and_at_what_is_quoted() -> None:
    points = [ScoredPoint("one", ours=OURS, quoted=QUOTED), ScoredPoint("two", quoted=QUOTED)]
    figure = dots_picture(points, caption="a scene")
    assert [x for x, _ in centres(figure, 0)] == [91.0, 95.0, 95.0]
    assert [x for x, _ in centres(figure, 1)] == [82.0]
    assert [x for x, _ in centres(figure, 2)] == [70.0, 94.0, 94.0]
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["one", "two"]
    assert legend_of(figure)[1] == "the paper (quoted)"
    assert figure.get_suptitle() == "a scene"


def test_nothing_is_called_quoted_where_nothing_is() -> None:
    figure = dots_picture(
        [ScoredPoint("one", ours={"oa": (90.0,), "aa": (80.0,), "kappa": (1.0,)})]
    )
    assert len(legend_of(figure)) == 1
    assert [axes.get_xlabel() for axes in figure.axes] == ["OA (%)", "AA (%)", "\u03ba \u00d7 100"]


def test_groups_have_a_band_for_each_name_with_a_run_and_a_row_for_each_series() -> None:
    points = [
        ScoredPoint("random", ours={"oa": (98.0, 99.0)}, series="PDML"),
        ScoredPoint("random", ours={"oa": (97.0,)}, series="SVM"),
        ScoredPoint("blocks", ours={"oa": (50.0,)}, series="PDML"),
        ScoredPoint("blocks", ours={"oa": (51.0,)}, series="SVM"),
        ScoredPoint("map", series="PDML"),
    ]
    figure = groups_picture(points, caption="a scene")
    assert centres(figure, 0) == [(98.5, 0), (97.0, 1), (50.0, 3), (51.0, 4)]
    labels = figure.axes[0].get_yticklabels()
    assert [label.get_text() for label in labels] == ["random", "blocks"]
    assert legend_of(figure) == ["PDML", "SVM"]


def test_lines_join_the_points_of_a_series_in_their_order() -> None:
    points = [
        ScoredPoint("1 %", ours={"oa": (50.0, 52.0)}, series="SSRN"),
        ScoredPoint("1 %", ours={"oa": (60.0,)}, series="PDML"),
        ScoredPoint("5 %", ours={"oa": (70.0, 74.0)}, series="SSRN"),
        ScoredPoint("5 %", ours={"oa": (80.0,)}, series="PDML", quoted={"oa": (82.0, 1.0)}),
        ScoredPoint("9 %", series="PDML"),
    ]
    figure = lines_picture(points, axis="share")
    assert [y for _, y in centres(figure, 0)] == [51.0, 72.0, 60.0, 80.0, 82.0]
    assert [round(x) for x, _ in centres(figure, 0)] == [0, 1, 0, 1, 1]
    assert [tick.get_text() for tick in figure.axes[0].get_xticklabels()] == ["1 %", "5 %", "9 %"]
    assert legend_of(figure) == ["SSRN", "PDML", "the paper (quoted)"]
    assert figure.axes[1].get_xlabel() == "share"


@pytest.mark.parametrize("n_points", [4, 14])
def test_a_figure_grows_with_its_rows(n_points: int) -> None:
    points = [ScoredPoint(f"method {number}", ours=OURS) for number in range(n_points)]
    height = dots_picture(points).get_size_inches()[1]
    assert height == pytest.approx(0.75 + 0.3 * n_points)
