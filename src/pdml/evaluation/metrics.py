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
    seed: int
    epochs: int
    best_epoch: int | None
    validation_oa: float | None
    best_on_test: OracleRecord
    seconds: dict[str, float]
    versions: dict[str, str]
    command: str
    parameters: int
