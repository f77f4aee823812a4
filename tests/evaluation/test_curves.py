"""Training curves show what was recorded, and leave out what was not."""

from __future__ import annotations

import math

import numpy as np
import pytest
from matplotlib.axes import Axes

from pdml.errors import InvalidInputError
from pdml.evaluation.curves import curves_picture
from pdml.evaluation.picture import picture_bytes


def labels(axes: Axes) -> list[str]:
    return [str(line.get_label()) for line in axes.get_lines()]


HISTORY = [
    {"epoch": epoch, "total": 3.0 / epoch, "classes": 2.0 / epoch, "validation_oa": 1 - 0.5 / epoch}
    for epoch in (1.0, 2.0, 3.0)
]


def test_terms_are_above_and_validation_is_below_in_per_cent() -> None:
    terms, validation = curves_picture(HISTORY, best_epoch=3).axes
    assert labels(terms) == ["total", "classes", "epoch kept: 3"]
    assert labels(validation) == ["validation OA", "epoch kept: 3"]
    accuracy = np.asarray(validation.get_lines()[0].get_ydata())
    np.testing.assert_allclose(accuracy, np.array([50, 75, 100 - 50 / 3]))
    assert list(np.unique(validation.get_lines()[1].get_xdata())) == [3]


@pytest.mark.parametrize("best_epoch", [None, 0])
def test_no_epoch_is_marked_when_none_was_chosen(best_epoch: int | None) -> None:
    terms, _ = curves_picture(HISTORY, best_epoch=best_epoch).axes
    assert labels(terms) == ["total", "classes"]


def test_without_validation_there_is_one_panel() -> None:
    rows = [{"epoch": 1.0, "total": 1.0, "validation_oa": math.nan}]
    assert len(curves_picture(rows).axes) == 1


def test_terms_of_very_different_size_or_sign_can_be_read_and_drawn() -> None:
    rows = [{"epoch": n, "pairs": 1e4 / n, "variance": -0.1 * n} for n in (1.0, 2.0)]
    figure = curves_picture(rows)
    assert figure.axes[0].get_yscale() == "symlog"
    assert picture_bytes(figure)


def test_terms_of_like_size_have_a_plain_axis() -> None:
    assert curves_picture(HISTORY).axes[0].get_yscale() == "linear"


def test_an_empty_history_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="got 0 rows without; train for at least one epoch"):
        curves_picture([])
