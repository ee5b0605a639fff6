"""Figures of a comparison, and the numbers in them."""

from __future__ import annotations

from collections.abc import Sequence

from modelcompare.comparison.compared import Compared
from modelcompare.comparison.evidence import places_of
from modelcompare.comparison.forest import Kind, plot_comparison, select_models
from modelcompare.data.test_set import TestSet
from modelcompare.report.figures import raincloud
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


def of_replicates(result: Compared, ax: Axes | None = None, *, metric: str | None = None) -> Figure:
    """Draw the bootstrap replicates: a cloud, a box and points for each model."""
    heaps = {}
    for name in metrics_of(result, metric):
        places = places_of(result, name)
        most = raincloud.MAX_MODELS if result.keys[places[0]].label is None else None
        shown, remark = select_models(
            result, places, max_models=most, max_classes=raincloud.MAX_CLASSES,
            max_rows=raincloud.MAX_ROWS,
        )  # fmt: skip
        of_classes = {
            result.keys[at].label: [result.models[model] for model in models]
            for at, models in shown.items()
        }
        heaps[name] = [*of_classes.items()], remark
    title = f"{result.headline}; {result.n_resamples:,} resamples"
    return raincloud.plot_raincloud(
        result.bootstrap.values_of, heaps, title, result.signature, result.confidence_level, ax
    )


def metrics_of(result: Compared, metric: str | None) -> Sequence[str]:
    """Return the metric asked for, or all."""
    return result.metrics if metric is None else [among("metric", metric, result.metrics)]


def predictions_of(result: Compared) -> TestSet:
    """Return the rows of a comparison; refuse sums."""
    found = result.bootstrap.evaluation.predictions
    if found.access.sums is not None:
        found.access.refuse("this figure")
    return found
