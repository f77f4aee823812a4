"""The figure of detectors has a row per class and one for the mean."""

from __future__ import annotations

import numpy as np

from pdml.evaluation.detector_plot import detectors_picture

SCORES = {"max-softmax": {"oats": 0.4, "corn": 0.8}, "energy": {"oats": 0.7, "corn": 0.9}}


def test_marks_are_where_the_scores_are_with_their_mean_below() -> None:
    figure = detectors_picture({"SSRN": SCORES, "PDML": SCORES}, caption="a scene")
    first, second = figure.axes
    assert [text.get_text() for text in first.get_yticklabels()] == ["oats", "corn", "mean"]
    assert (first.get_title(), second.get_title()) == ("SSRN", "PDML")
    marks = {line.get_label(): line for line in first.lines}
    x, y = marks["max-softmax"].get_data()
    np.testing.assert_allclose(np.asarray(x, dtype=float), [0.4, 0.8, 0.6])
    assert list(np.asarray(y)) == [0, 1, 2]


def test_a_detector_without_scores_has_no_mark() -> None:
    figure = detectors_picture({"SSRN": {"energy": {}, "max-softmax": SCORES["max-softmax"]}})
    marks = {line.get_label(): line for line in figure.axes[0].lines}
    assert len(np.asarray(marks["energy"].get_xdata())) == 0
