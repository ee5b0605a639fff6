"""Figures of a comparison, and the numbers in them."""

from __future__ import annotations

from collections.abc import Sequence

from modelcompare.comparison.compared import Compared
from modelcompare.comparison.forest import Kind, plot_comparison
from modelcompare.data.test_set import TestSet
from modelcompare.report.figures.selection import among
from modelcompare.report.figures.types import Axes, Figure


def forest(
    result: Compared, ax: Axes | None = None, *, metric: str | None = None,
    max_models: int | None = None,
) -> Figure:  # fmt: skip
    """Draw scores next to differences; in a given `ax`, the scores of one metric."""
    kinds: Sequence[Kind] = ("scores", "differences") if ax is None else ("scores",)
    return plot_comparison(result, kinds, metrics_of(result, metric), max_models, ax)


def differences(
    result: Compared, ax: Axes | None = None, *, metric: str | None = None,
    max_models: int | None = None,
) -> Figure:  # fmt: skip
    """Draw all pairs of up to four models, else the best model or the baseline minus each other."""
    return plot_comparison(result, ("differences",), metrics_of(result, metric), max_models, ax)


def ranks(
    result: Compared, ax: Axes | None = None, *, metric: str | None = None,
    max_models: int | None = None,
) -> Figure:  # fmt: skip
    """Draw confidence intervals of the models' ranks, from the corrected tests."""
    return plot_comparison(result, ("ranks",), metrics_of(result, metric), max_models, ax)


def metrics_of(result: Compared, metric: str | None) -> Sequence[str]:
    """Return the metric asked for, or all."""
    return result.metrics if metric is None else [among("metric", metric, result.metrics)]


def predictions_of(result: Compared) -> TestSet:
    """Return the rows of a comparison; refuse sums."""
    found = result.bootstrap.evaluation.predictions
    if found.access.sums is not None:
        found.access.refuse("this figure")
    return found
