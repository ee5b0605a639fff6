"""The design of a test set, in words for the methods of a paper."""

from __future__ import annotations

from modelcompare.engine.evaluation import Evaluation


def design(evaluation: Evaluation) -> str:
    """Name what is taken whole, and what keeps its size; empty for plain samples."""
    predictions, units = evaluation.predictions, evaluation.units
    parts = []
    if predictions.groups is not None and predictions.sums is None:
        parts.append(f"{units.n_units:,} clusters of samples are taken whole")
    if units.strata is not None:
        parts.append("strata keep their sizes")
    if predictions.sample_weight is not None:
        parts.append("samples have weights")
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}." if text else ""
