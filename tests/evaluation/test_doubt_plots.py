"""Pictures of the uncertainty show what stands in the record."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes

from pdml.evaluation.doubt_plots import reliability_picture, response_picture, risk_picture
from pdml.evaluation.doubt_quality import doubt_quality
from pdml.evaluation.metrics import UncertaintyRecord


def record() -> UncertaintyRecord:
    rng = np.random.default_rng(0)
    probability = rng.dirichlet(np.full(3, 0.3), 300)
    truth = np.array([rng.choice(3, p=p) for p in probability])
    scores = {"doubt": 1 - probability.max(axis=1), "max_softmax": rng.random(300)}
    found = doubt_quality(truth, before=probability, after=probability, scores=scores)
    found["temperature"] = 1.5
    found["response"] = {
        "dead_bands": {"strengths": [0.1, 0.3], "scores": {"doubt": [0.6, 0.9]}},
    }
    return found


def test_the_lines_of_risk_are_those_of_the_scores() -> None:
    found = record()
    axes = risk_picture(found).axes[0]
    for line, score in zip(axes.lines, found["scores"].values(), strict=False):
        np.testing.assert_allclose(np.asarray(line.get_ydata(), float), np.array(score["risk"]))
    labels = _legend(axes)
    assert labels[0] == f"{found['scores']['doubt']['auroc']:.3f}  doubt (combined)"
    assert labels[-1] == "ideal"


def test_a_dot_stands_for_each_bin_that_has_pixels() -> None:
    found = record()
    dots = reliability_picture(found).axes[0].collections
    n_bins = sum(count > 0 for count in found["reliability"]["before"]["count"])
    assert [len(np.asarray(one.get_offsets())) for one in dots] == [n_bins, n_bins]


@pytest.mark.parametrize("temperature", [None, 2.0])
def test_the_legend_says_whether_there_is_a_temperature(temperature: float | None) -> None:
    found = record()
    found["temperature"] = temperature
    said = " ".join(_legend(reliability_picture(found).axes[0]))
    assert ("temperature 2.00" if temperature else "no temperature fitted") in said


def test_answers_are_drawn_for_the_changes_that_were_made() -> None:
    figure = response_picture(record()["response"])
    assert [axes.get_xlabel() for axes in figure.axes] == ["share of dead bands"]
    line = figure.axes[0].lines[1]
    np.testing.assert_allclose(np.asarray(line.get_ydata(), float), np.array([0.6, 0.9]))


def _legend(axes: Axes) -> list[str]:
    legend = axes.get_legend()
    assert legend is not None
    return [text.get_text() for text in legend.get_texts()]
