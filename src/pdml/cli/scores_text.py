"""Scores in words: never one without the others, the split, the leakage and the seed."""

from __future__ import annotations

from pdml.evaluation.metrics import Metrics
from pdml.evaluation.report_text import decimal, leakage_sentence, percent, score_context


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


def _as_clause(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]
