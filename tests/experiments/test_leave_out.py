"""A class that is left out is in no label, and its pixels are known for the test."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pdml.experiments.leave_out import without_class
from pdml.experiments.subject import Subject
from pdml.scenes.labels import LabelMap
from pdml.scenes.scene import Scene

CODES = np.array([[1, 2, 3], [0, 2, 1], [3, 3, 0]])
NAMES, COLOURS = ("oats", "corn", "woods"), ("#ff0000", "#00ff00", "#0000ff")


def subject() -> Subject:
    labels = LabelMap.from_array(CODES, class_names=NAMES, colours=COLOURS, groups=CODES * 4)
    return Subject(Scene.from_array(np.zeros((3, 3, 2))), labels, None, None, None, None, {})


def test_labels_are_as_if_the_class_had_never_been_named() -> None:
    reduced, pixels = without_class(subject(), "corn")
    assert reduced.labels is not None
    assert reduced.labels.class_names == ("oats", "woods")
    assert reduced.labels.colours == ("#ff0000", "#0000ff")
    np.testing.assert_array_equal(reduced.labels.codes, [[1, 0, 2], [0, 0, 1], [2, 2, 0]])
    np.testing.assert_array_equal(reduced.labels.groups, [[4, 0, 12], [0, 0, 4], [12, 12, 0]])
    assert pixels.tolist() == [1, 4]


def test_published_maps_lose_the_class_too_and_other_labels_stay() -> None:
    both = replace(subject(), train=subject().labels, test=LabelMap(CODES * 0 + 3, NAMES))
    reduced, _ = without_class(both, "oats")
    assert reduced.train is not None
    assert reduced.test is not None
    np.testing.assert_array_equal(reduced.train.codes, [[0, 1, 2], [0, 1, 0], [2, 2, 0]])
    assert (reduced.test.codes == 2).all()
    assert reduced.test.colours == ()
