"""ROC and precision-recall curves with bootstrap bands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from modelcompare.arguments import checked
from modelcompare.arrays import FloatArray
from modelcompare.comparison.one_class import (
    OneClass,
    areas_under,
    share_of_all,
)
from modelcompare.data.predictions import Predictions
from modelcompare.engine.evaluation import Evaluation
from modelcompare.intervals import percentile_interval
from modelcompare.metrics import resolve_metrics
from modelcompare.metrics.base import divide
from modelcompare.report.document import Document
from modelcompare.report.figures.curves import Curves, plot_curve
from modelcompare.report.figures.plots import Plots
from modelcompare.report.figures.types import Axes, Figure
from modelcompare.report.result import Result
from modelcompare.report.tables import Table, column, interval_column
from modelcompare.resampling.seeds import RngLike, seed_sequence
from modelcompare.resampling.weights import BootstrapWeights
from modelcompare.words import CurveKind, signature

_GRID = 101


def plot_banded_curve(result: CurveResult, ax: Axes | None = None) -> Figure:
    """Plot all models' curves in one panel, with their bands."""
    return plot_curve(result, result.signature, ax=ax)


def plot_roc(result: CurveResult, ax: Axes | None = None) -> Figure:
    """Plot the ROC curves with their bands and areas."""
    return _plot_only("roc", result, ax)


def plot_pr(result: CurveResult, ax: Axes | None = None) -> Figure:
    """Plot precision against recall, with bands and areas."""
    return _plot_only("precision-recall", result, ax)


def _plot_only(kind: CurveKind, result: CurveResult, ax: Axes | None) -> Figure:
    if result.kind != kind:
        raise ValueError(
            f"these are {result.kind} curves; ask for the others by curve(..., {kind!r})."
        )
    return plot_banded_curve(result, ax)


@dataclass(frozen=True)
class CurveResult(Result, Curves):
    """Curves of all models for one class.

    Attributes
    ----------
    points : DataFrame
        The empirical curves, a row for each distinct score: model, threshold, recall,
        false_positive_rate, precision. Samples with scores at or above the threshold are predicted
        positive.
    band : DataFrame
        The curve on a grid, with pointwise intervals: model, x, y, ci_low, ci_high; x is the false
        positive rate and y recall, or x recall and y precision.
    kind : {"roc", "precision-recall"}
        Type of the curves.
    areas : DataFrame
        The area under each curve (ROC AUC, or average precision) with percentile intervals: model,
        area, ci_low, ci_high.
    label
        The positive class.
    share : float
        Share of the positive class, which is the precision of a random classifier.
    n_samples : int
        Size of the test set.
    """

    _stem: ClassVar[str] = "curve"
    _members: ClassVar[str] = """
        kind:curve label share n_samples confidence_level signature
        points: model threshold recall false_positive_rate precision
        band: model x y ci_low ci_high
        areas: model area ci_low ci_high
    """
    plot = Plots(curve=plot_banded_curve, roc=plot_roc, pr=plot_pr)

    @property
    def signature(self) -> str:
        level = self.confidence_level
        return signature("curve", kind=self.kind, label=str(self.label), level=level)

    def document(self) -> Document:
        x, y = ("false positive rate", "recall") if self.kind == "roc" else ("recall", "precision")
        tenths = (self.band["x"] * 10).round(6)
        title = f"{x[0].upper()}{x[1:]} and {y}, positive class {self.label}"
        table = Table.of(
            title, self.band[tenths % 1 == 0], "model", column(x, "x"), column(y, "y"),
            interval_column(self.confidence_level), decimals=3,
        )  # fmt: skip
        return self._document({"curve": table})


@checked()
def curve(
    predictions: Predictions, kind: CurveKind = "roc", *, label: Any = None, n_resamples: int = 999,
    confidence_level: float = 0.95, rng: RngLike = 0,
) -> CurveResult:  # fmt: skip
    """Compute ROC or precision-recall curves of all models, with pointwise bootstrap bands.

    Resamples are shared by the models and drawn as elsewhere: clusters as wholes, within strata.
    The bands cover at each x separately, not the curve as a whole. Two models whose bands overlap
    may still differ: compare ``roc_auc``, ``average_precision`` or an operating point.

    Parameters
    ----------
    predictions : Predictions
        Models with probabilities, or raw scores of two classes.
    kind : {"roc", "precision-recall"}
        ROC points are interpolated linearly; precision is that at the highest threshold that
        reaches the recall, without interpolation.
    label : label, optional
        The positive class; for two classes the second by default.
    n_resamples, confidence_level, rng
        Options of the bands, which are percentile intervals.

    Raises
    ------
    ValueError
        If a model has no probabilities, or `label` is not a class.

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.Predictions([0, 0, 1, 1] * 10, {"a": [0.1, 0.4, 0.35, 0.8] * 10})
    >>> points = mc.diagnostics.curve(preds, n_resamples=99).points
    >>> points[["threshold", "recall", "false_positive_rate"]]
       threshold  recall  false_positive_rate
    0       0.80     0.5                  0.0
    1       0.40     0.5                  0.5
    2       0.35     1.0                  0.5
    3       0.10     1.0                  1.0
    """
    seed = seed_sequence(rng)
    whole, drawn_weights = resampled_weights(
        predictions, "average_precision_macro", n_resamples, seed
    )
    one = OneClass.of(predictions, label)
    grid = np.linspace(0, 1, _GRID)
    on_grid = _roc_on if kind == "roc" else _precision_on
    found = one.curves(kind, whole, confidence_level)
    bands, ends = [], []
    for model, ordered, _ in one.models:
        drawn = [
            (areas_under(kind, ordered, w), on_grid(*ordered.counts(w), grid))
            for w in drawn_weights()
        ]
        of_area, interval = (
            percentile_interval(np.concatenate(draws), confidence_level=confidence_level)
            for draws in zip(*drawn, strict=True)
        )
        ends.append(of_area)
        bands.append(pd.DataFrame({
            "model": model, "x": grid, "y": on_grid(*ordered.counts(whole), grid)[0],
            "ci_low": interval.low, "ci_high": interval.high,
        }))  # fmt: skip
    areas = found.areas.assign(
        ci_low=[float(end.low) for end in ends], ci_high=[float(end.high) for end in ends]
    )
    band = pd.concat(bands, ignore_index=True)
    return CurveResult(**vars(found) | {"band": band, "areas": areas})


def resampled_weights(
    predictions: Predictions, metric: str, n_resamples: int, seed: np.random.SeedSequence
) -> tuple[FloatArray, Callable[[], Iterator[FloatArray]]]:
    """Return the sample weights, (1, n_samples), and a function that yields blocks of resamples.

    The resamples are the same for all models. `metric` is one that needs the same outputs as the
    caller.
    """
    evaluation = Evaluation(predictions, resolve_metrics(metric, predictions), collapse=False)
    draws = BootstrapWeights(evaluation.units, n_resamples, seed)
    whole = evaluation.per_sample(np.ones((1, evaluation.units.n_units)))
    return whole, lambda: map(evaluation.per_sample, draws.blocks())


def _roc_on(hits: FloatArray, alarms: FloatArray, grid: FloatArray) -> FloatArray:
    """Return recall at each false positive rate; at a vertical step its upper end."""
    recall, rate = share_of_all(hits), share_of_all(alarms)
    out = np.empty((len(hits), len(grid)))
    for place, (x, y) in enumerate(zip(rate, recall, strict=True)):
        x, y = np.r_[0.0, x], np.r_[0.0, y]
        above = np.searchsorted(x, grid, side="right")
        before, after = above - 1, np.minimum(above, len(x) - 1)
        width = x[after] - x[before]
        share = np.divide(grid - x[before], width, out=np.zeros(len(grid)), where=width > 0)
        out[place] = y[before] + share * (y[after] - y[before])
    return np.where(np.isnan(recall[:, -1:] + rate[:, -1:]), np.nan, out)


def _precision_on(hits: FloatArray, alarms: FloatArray, grid: FloatArray) -> FloatArray:
    """Return precision at the highest threshold that reaches each recall."""
    recall, precision = share_of_all(hits), divide(hits, hits + alarms, 0.0)
    out = np.empty((len(hits), len(grid)))
    for place, (x, y) in enumerate(zip(recall, precision, strict=True)):
        # The curve starts at the first true positive, not at a recall of 0.
        at = np.searchsorted(x, np.maximum(grid - 1e-12, 1e-12), side="left")
        out[place] = y[np.minimum(at, len(y) - 1)]
    return np.where(np.isnan(recall[:, -1:]), np.nan, out)
