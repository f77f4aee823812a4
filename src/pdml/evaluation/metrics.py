"""The layout of `metrics.json`: what a run says about itself, and what a report is made from.

Every key may be absent: a run without test labels has no scores, and its report leaves them out.
Shares and accuracies are fractions from 0 to 1; a number that is not defined is null.
"""

from __future__ import annotations

from typing import Any, TypedDict


class ClassScore(TypedDict):
    """Recall and number of test pixels of one class; no recall without a test pixel."""

    recall: float | None
    support: int


class ScoreRecord(TypedDict, total=False):
    """Scores on the test pixels."""

    oa: float
    aa: float
    kappa: float | None
    nll: float | None
    brier: float | None
    ece: float | None
    per_class: dict[str, ClassScore]
    confusion: list[list[int]]


class LeakageRecord(TypedDict):
    """How near the training pixels are to the test pixels, as shares of the test pixels.

    The first share has a training pixel inside its own patch, the second overlaps a training
    patch.
    """

    patch_size: int
    own_patch_share: float
    overlap_share: float


class OracleRecord(TypedDict):
    """The best accuracy on the test pixels of any epoch; no result, as the test chose it."""

    oa: float
    epoch: int


class ProbabilityRecord(TypedDict):
    """Scores of class probabilities."""

    nll: float
    brier: float
    ece: float


class DoubtRecord(TypedDict):
    """What a measure of doubt knows of mistakes on the test pixels.

    `auroc` is the probability that a wrong pixel is more doubtful than a right one; `aurc` the mean
    risk over all coverages, whose curve is in `coverage` and `risk`; `share_of_ideal` is 1 for a
    measure that puts all mistakes last and 0 for one that says nothing.
    """

    auroc: float | None
    aurc: float
    share_of_ideal: float | None
    coverage: list[float]
    risk: list[float]


class ReliabilityRecord(TypedDict):
    """Bins of the top probability: pixels, what they say, and how many of them are right."""

    count: list[int]
    stated: list[float]
    accuracy: list[float]


class ResponseRecord(TypedDict):
    """How scores answer to spectra that are made worse, for each strength.

    An answer is the probability that a changed pixel is more doubtful than an unchanged one.
    """

    strengths: list[float]
    scores: dict[str, list[float]]


class AloneRecord(TypedDict):
    """Scores of pixels by their own patches, before they listen to their surroundings."""

    oa: float
    aa: float
    kappa: float | None
    ece: float | None


class UncertaintyRecord(TypedDict, total=False):
    """Whether the uncertainty is worth its name; see the page on uncertainty."""

    temperature: float | None
    rounds: int
    alone: AloneRecord | None
    n_validation: int
    n_wrong_validation: int
    combination: dict[str, Any] | None
    uncalibrated: ProbabilityRecord
    error_rate: float
    aurc_ideal: float
    scores: dict[str, DoubtRecord]
    reliability: dict[str, ReliabilityRecord]
    called_unknown: float | None
    n_changed: int
    variance_with_lap: float | None
    variance_with_border: float | None
    response: dict[str, ResponseRecord]


class Metrics(ScoreRecord, total=False):
    """Everything in `metrics.json`.

    `split` holds the strategy, all that it was told, and `counts`: pixels per class in each part.
    """

    scene: str
    dataset: str | None
    synthetic: bool
    twin: bool
    method: str
    status: str
    split: dict[str, Any]
    leakage: LeakageRecord | None
    uncertainty: UncertaintyRecord
    seed: int
    epochs: int
    best_epoch: int | None
    validation_oa: float | None
    best_on_test: OracleRecord
    seconds: dict[str, float]
    versions: dict[str, str]
    command: str
    parameters: int
