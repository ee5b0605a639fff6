"""ROC and precision-recall curves with bootstrap bands."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arguments import checked
from modelcompare.arrays import FloatArray
from modelcompare.data.predictions import Predictions
from modelcompare.engine.sample_weights import resampled_weights
from modelcompare.intervals import percentile_interval
from modelcompare.metrics.base import divide
from modelcompare.plugins.curves.empirical import CurveResult, empirical_curves
from modelcompare.plugins.curves.one_class import OneClass, areas_under, share_of_all
from modelcompare.resampling.seeds import RngLike
from modelcompare.words import CurveKind

_GRID = 101


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
        The class against the others; of two the positive one by default.
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
    whole, drawn = resampled_weights(predictions, "average_precision_macro", n_resamples, rng)
    one = OneClass.of(predictions, label)
    grid = np.linspace(0, 1, _GRID)
    on_grid = _roc_on if kind == "roc" else _precision_on
    found = empirical_curves(one, kind, whole, confidence_level)
    bands, drawn_areas = [], []
    for model, ordered, _ in one.models:
        both = ((areas_under(kind, ordered, w), on_grid(*ordered.counts(w), grid)) for w in drawn())
        areas, lines = map(np.concatenate, zip(*both, strict=True))
        drawn_areas.append(areas)
        interval = percentile_interval(lines, confidence_level=confidence_level)
        bands.append(pd.DataFrame({
            "model": model, "x": grid, "y": on_grid(*ordered.counts(whole), grid)[0],
            "ci_low": interval.low, "ci_high": interval.high,
        }))  # fmt: skip
    ends = percentile_interval(np.column_stack(drawn_areas), confidence_level=confidence_level)
    of_areas = found.areas.assign(ci_low=ends.low, ci_high=ends.high)
    return replace(found, band=pd.concat(bands, ignore_index=True), areas=of_areas)


def _roc_on(hits: FloatArray, alarms: FloatArray, grid: FloatArray) -> FloatArray:
    """Return recall at each false positive rate; at a vertical step its upper end."""
    recall, rate = share_of_all(hits), share_of_all(alarms)
    pairs = zip(rate, recall, strict=True)
    found = np.array([np.interp(grid, np.r_[0.0, x], np.r_[0.0, y]) for x, y in pairs])
    return np.where(np.isnan(recall[:, -1:] + rate[:, -1:]), np.nan, found)


def _precision_on(hits: FloatArray, alarms: FloatArray, grid: FloatArray) -> FloatArray:
    """Return precision at the highest threshold that reaches each recall."""
    recall, precision = share_of_all(hits), divide(hits, hits + alarms, 0.0)
    # The curve starts at the first true positive, not at a recall of 0.
    least = np.maximum(grid - 1e-12, 1e-12)
    at = np.array([np.searchsorted(row, least) for row in recall])
    found = np.take_along_axis(precision, np.minimum(at, recall.shape[1] - 1), axis=1)
    return np.where(np.isnan(recall[:, -1:]), np.nan, found)
