"""Scores in words: never one without the others, the split, the leakage and the seed."""

from __future__ import annotations

from pdml.evaluation.metrics import Metrics
from pdml.evaluation.report_text import counted, decimal, leakage_sentence, percent, score_context


def scores_in_words(metrics: Metrics) -> str:
    """OA, AA and kappa in one sentence with all that they depend on."""
    if "oa" not in metrics:
        return "The split has no test pixels, so there are no scores."
    text = (
        f"OA {percent(metrics['oa'])}, AA {percent(metrics['aa'])}, "
        f"kappa {decimal(metrics['kappa'])} {score_context(metrics)}"
    )
    leakage = metrics.get("leakage")
    return f"{text}; {_as_clause(leakage_sentence(leakage))}" if leakage else f"{text}."


def calibration_in_words(metrics: Metrics) -> str:
    """What the temperature did to the calibration, in one sentence."""
    record = metrics["uncertainty"]
    before = percent(record["uncalibrated"]["ece"])
    if record["temperature"] is None:
        return f"ECE {before}; no temperature was fitted, for want of validation pixels."
    return (
        f"ECE {before} before and {percent(metrics['ece'])} after a temperature of "
        f"{record['temperature']:.2f}, fitted on {counted(record['n_validation'], 'pixel')} with "
        f"{counted(record['n_wrong_validation'], 'mistake')}."
    )


def _as_clause(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]
