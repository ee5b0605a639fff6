"""What a page says of a comparison beside its tables: the method in words, and its figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from modelcompare.engine.evaluation import Evaluation
from modelcompare.report.forest import plot_comparison
from modelcompare.report.method import comparison_method

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from modelcompare.comparison.result import Comparison


def method_of(result: Comparison) -> tuple[str, list[str]]:
    """The method in words, and the works that these refer to."""
    evaluation = result.bootstrap.evaluation
    sources = {metric.name: metric.sources for metric in evaluation.metrics}
    return comparison_method(result, sources, _design(evaluation))


def figures_of(result: Comparison) -> dict[str, Figure]:
    """For each metric its scores, and its differences, as narrow as a phone."""
    found = {}
    for metric in result.metrics:
        found[metric] = plot_comparison(result, ("scores",), metrics=[metric])
        if len(result.differences):
            differences = plot_comparison(result, ("differences",), metrics=[metric])
            found[f"{metric}, differences"] = differences
    return found


def _design(evaluation: Evaluation) -> str:
    """What is taken whole, and what keeps its size; empty for plain samples."""
    predictions, units = evaluation.predictions, evaluation.units
    parts = []
    if predictions.groups is not None and predictions.sums is None:
        parts.append(f"{units.n_units:,} clusters of samples are taken whole")
    if units.strata is not None:
        parts.append("strata keep their sizes")
    if predictions.sample_weight is not None:
        parts.append("samples have weights")
    told = "; ".join(parts)
    return f"{told[0].upper()}{told[1:]}." if told else ""
