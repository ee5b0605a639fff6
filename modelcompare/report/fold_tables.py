"""Tables of a cross-validation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from modelcompare.report.numbers import (
    decimals_for,
    format_interval,
    format_number,
    format_p_value,
)
from modelcompare.report.study_contents import TextTable, tables_markdown

if TYPE_CHECKING:
    from modelcompare.comparison.estimators import EstimatorComparison


def estimators_markdown(result: EstimatorComparison) -> str:
    """Mean values over folds, and tested differences, as Markdown tables."""
    return tables_markdown([_scores(result), _differences(result)], result.signature)


def _scores(result: EstimatorComparison) -> TextTable:
    rows = []
    for row in result.scores.itertuples():
        decimals = decimals_for([row.sd])
        rows.append(
            [
                _named(row.metric, row.label),
                row.model,
                format_number(row.mean, decimals),
                format_number(row.sd, decimals),
                f"{row.n_folds}",
            ]
        )
    return TextTable("Over folds", ("metric", "model", "mean", "sd", "folds"), rows, left=2)


def _differences(result: EstimatorComparison) -> TextTable:
    rows = []
    for row in result.differences.itertuples():
        decimals = decimals_for([row.standard_error])
        rows.append(
            [
                _named(row.metric, row.label),
                f"{row.model_a} - {row.model_b}",
                format_number(row.difference, decimals, signed=True),
                format_interval(row.ci_low, row.ci_high, decimals),
                format_p_value(row.p_value),
                format_p_value(row.p_adjusted),
                *(f"{100 * p:.0f} %" for p in (row.p_a, row.p_equivalent, row.p_b)),
            ]
        )
    level = f"{100 * result.confidence_level:g} % CI"
    header = ("metric", "pair", "a - b", level, "p", f"p ({result.correction})", "a", "same", "b")
    note = (
        f"a, same, b: posterior probability that a is better, that the difference is within "
        f"{result.rope:g}, that b is better (Bayesian correlated t-test)."
    )
    return TextTable("Differences", header, rows, note, left=2)


def _named(metric: str, label: Any) -> str:
    return metric if label is None or label != label else f"{metric} of {label}"
