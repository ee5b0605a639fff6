"""ROC and precision-recall curves with bootstrap bands, and operating points with intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from modelcompare.arguments import checked
from modelcompare.arrays import FloatArray, IntArray
from modelcompare.comparison.one_class import (
    OneClass,
    areas_under,
    curve_points,
    share_of_all,
)
from modelcompare.data.predictions import Predictions
from modelcompare.diagnostics.threshold_interval import chosen_interval
from modelcompare.engine.evaluation import Evaluation
from modelcompare.intervals import percentile_interval
from modelcompare.metrics import resolve_metrics
from modelcompare.metrics.base import divide
from modelcompare.metrics.ranking import Descending
from modelcompare.report.document import Document
from modelcompare.report.figures.curves import Curves, plot_curve
from modelcompare.report.figures.plots import Plots
from modelcompare.report.figures.types import Axes, Figure
from modelcompare.report.result import Result
from modelcompare.report.tables import Table, column, interval_column
from modelcompare.resampling.seeds import RngLike, seed_sequence
from modelcompare.resampling.weights import BootstrapWeights
from modelcompare.words import CurveKind, check_number, signature

_GRID = 101


@dataclass(frozen=True)
class CurveResult(Result, Curves):
    """Curves of all models for one class.

    Attributes
    ----------
    points : DataFrame
        The empirical curves, a row for each distinct score: model, threshold, recall,
        false_positive_rate, precision. "Positive" is said at or above the threshold.
    band : DataFrame
        The curve on a grid, with pointwise intervals: model, x, y, ci_low, ci_high; x is the false
        positive rate and y recall, or x recall and y precision.
    kind : {"roc", "precision-recall"}
        Which curve.
    areas : DataFrame
        The area under each curve (ROC AUC, or average precision) with percentile intervals: model,
        area, ci_low, ci_high.
    label
        The positive class.
    share : float
        Of the positive class: the precision of chance.
    n_samples : int
        Size of the test set.
    """

    stem: ClassVar[str] = "curve"

    @property
    def signature(self) -> str:
        level = f"{self.confidence_level:g}"
        return signature("curve", {"kind": self.kind, "label": self.label, "level": level})

    def document(self) -> Document:
        x, y = ("false positive rate", "recall") if self.kind == "roc" else ("recall", "precision")
        tenths = (self.band["x"] * 10).round(6)
        columns = [
            column("model"), column(x, "x"), column(y, "y"),
            interval_column(self.confidence_level),
        ]  # fmt: skip
        title = f"{x[0].upper()}{x[1:]} and {y}, positive class {self.label}"
        return self._document(
            {"curve": Table(title, columns, self.band[tenths % 1 == 0], decimals=3)},
            frames=lambda: {"points": self.points, "band": self.band, "areas": self.areas},
        )

    @property
    def plot(self) -> CurvePlots:
        """Figures: `plot()`, or by their names roc and pr."""
        return CurvePlots(self)


class CurvePlots(Plots[CurveResult]):
    """The figure of curves: `plot()`, or by its name."""

    def __call__(self, ax: Axes | None = None) -> Figure:
        """Draw all models' curves in one square, with their bands."""
        return plot_curve(self._result, self._result.signature, ax=ax)

    def roc(self, ax: Axes | None = None) -> Figure:
        """Draw the ROC curves with their bands and areas."""
        return self._only("roc", ax)

    def pr(self, ax: Axes | None = None) -> Figure:
        """Draw precision against recall with bands and areas."""
        return self._only("precision-recall", ax)

    def _only(self, kind: CurveKind, ax: Axes | None) -> Figure:
        if self._result.kind != kind:
            raise ValueError(
                f"these are {self._result.kind} curves; ask for the others by curve(..., {kind!r})."
            )
        return self(ax)


@checked()
def curve(
    predictions: Predictions, kind: CurveKind = "roc", *, label: Any = None, n_resamples: int = 999,
    confidence_level: float = 0.95, rng: RngLike = 0,
) -> CurveResult:  # fmt: skip
    """ROC or precision-recall curves of all models, with pointwise bootstrap bands.

    Resamples are shared by the models and drawn like any other: clusters whole, strata kept. The
    bands hold at each x by itself, not for the curve as a whole; nor do two bands that overlap say
    that the models do not differ: compare ``roc_auc``, ``average_precision`` or an operating point.

    Parameters
    ----------
    predictions : Predictions
        Models with probabilities, or raw scores of two classes.
    kind : {"roc", "precision-recall"}
        ROC points are joined by lines; precision is taken at the first threshold that reaches the
        recall, without interpolation.
    label : label, optional
        The positive class; the second of two by default.
    n_resamples, confidence_level, rng
        Of the bands, by percentiles.

    Raises
    ------
    ValueError
        If a model gave no probabilities, or `label` is not a class.

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.Predictions([0, 0, 1, 1] * 10, {"a": [0.1, 0.4, 0.35, 0.8] * 10})
    >>> mc.curve(preds, n_resamples=99).points[["threshold", "recall", "false_positive_rate"]]
       threshold  recall  false_positive_rate
    0       0.80     0.5                  0.0
    1       0.40     0.5                  0.5
    2       0.35     1.0                  0.5
    3       0.10     1.0                  1.0
    """
    sampled = _Sampled(predictions, label, n_resamples, rng)
    grid = np.linspace(0, 1, _GRID)
    on_grid = _roc_on if kind == "roc" else _precision_on
    points, bands, areas = [], [], []
    for model, ordered, scores in sampled.one.models():
        hits, alarms = ordered.counts(sampled.whole)
        points.append(curve_points(model, ordered, scores, sampled.whole))
        drawn = np.concatenate([areas_under(kind, ordered, w) for w in sampled.weights()])
        ends = percentile_interval(drawn[:, None], confidence_level=confidence_level)
        areas.append({
            "model": model, "area": areas_under(kind, ordered, sampled.whole)[0],
            "ci_low": ends.low[0], "ci_high": ends.high[0],
        })  # fmt: skip
        draws = np.vstack([on_grid(*ordered.counts(w), grid) for w in sampled.weights()])
        interval = percentile_interval(draws, confidence_level=confidence_level)
        bands.append(pd.DataFrame({
            "model": model, "x": grid, "y": on_grid(hits, alarms, grid)[0], "ci_low": interval.low,
            "ci_high": interval.high,
        }))  # fmt: skip
    return CurveResult(
        pd.concat(points, ignore_index=True), pd.concat(bands, ignore_index=True),
        pd.DataFrame(areas), kind, sampled.one.label, sampled.one.share(sampled.whole[0]),
        len(predictions), confidence_level,
    )  # fmt: skip


@checked()
def operating_point(
    predictions: Predictions, *, precision: float | None = None, recall: float | None = None,
    false_positive_rate: float | None = None, threshold: float | None = None, label: Any = None,
    n_resamples: int = 9999, confidence_level: float = 0.95, rng: RngLike = 0,
) -> pd.DataFrame:  # fmt: skip
    """Threshold that reaches a wanted precision, recall or false positive rate, with intervals.

    Of all thresholds that reach the wanted precision, or keep the false positive rate, the lowest
    is taken (most recall); of those that reach the wanted recall the highest. What it reaches on
    the samples that chose it is optimistic. The intervals are of what it reaches on new samples:
    each resample chooses anew and is held against these samples, so that they allow for the
    optimism and for the uncertainty of the choice. Choose it on other data and pass it as
    `threshold` for narrower ones.

    Parameters
    ----------
    predictions : Predictions
        Models with probabilities, or raw scores of two classes.
    precision, recall, false_positive_rate, threshold : float
        Exactly one: what is wanted, or a threshold that is given.
    label : label, optional
        The positive class; the second of two by default.
    n_resamples, confidence_level, rng
        Of the intervals: percentiles of the thresholds that resamples choose, and for the rest what
        this threshold reaches in the population.

    Returns
    -------
    DataFrame
        A row for each model: model, and threshold, precision, recall and false_positive_rate, each
        with its _low and _high, and n_undefined: resamples on which nothing reaches what is wanted,
        or a value is 0 / 0.

    Raises
    ------
    ValueError
        If not exactly one thing is wanted, or it is no fraction.

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.Predictions([0, 0, 1, 1] * 10, {"a": [0.1, 0.4, 0.35, 0.8] * 10})
    >>> mc.operating_point(preds, precision=0.9)[["model", "threshold", "precision", "recall"]]
      model  threshold  precision  recall
    0     a        0.8        1.0     0.5
    """
    wishes = {
        "precision": precision, "recall": recall, "false_positive_rate": false_positive_rate,
        "threshold": threshold,
    }  # fmt: skip
    given = {name: value for name, value in wishes.items() if value is not None}
    if len(given) != 1:
        found = ", ".join(given) or "none"
        raise ValueError(f"give exactly one of {', '.join(wishes)}; got {found}.")
    ((wish, value),) = given.items()
    sampled = _Sampled(predictions, label, n_resamples, rng)
    if wish == "threshold" and sampled.one.raw:
        check_number(wish, value, at_least=-math.inf)
    else:
        check_number(wish, value, at_most=1.0)
    rows = []
    for model, ordered, scores in sampled.one.models():
        # A threshold of 0.7 means the 0.7 of single precision where scores have that.
        said = predictions.output(model).array.dtype.type(value) if wish == "threshold" else value
        points = _Points(wish, float(said), scores, float(sampled.whole.mean()))
        rows.append({"model": model, **points.row(ordered, sampled, confidence_level)})
    return pd.DataFrame(rows)


_POINT = ("threshold", "precision", "recall", "false_positive_rate")


class _Sampled:
    """Models' scores for one class, and the resamples that they share."""

    def __init__(
        self, predictions: Predictions, label: Any, n_resamples: int, rng: RngLike
    ) -> None:
        metrics = resolve_metrics("average_precision_macro", predictions)
        self.one = OneClass.of(predictions, label)
        self._evaluation = Evaluation(predictions, metrics, collapse=False)
        units = self._evaluation.units
        self._draws = BootstrapWeights(units, n_resamples, seed_sequence(rng))
        self.whole = self._evaluation.per_sample(np.ones((1, units.n_units)))

    def weights(self) -> Iterator[FloatArray]:
        """Blocks of resamples, as weights of the samples; the same for every model."""
        return map(self._evaluation.per_sample, self._draws.blocks())


def _roc_on(hits: FloatArray, alarms: FloatArray, grid: FloatArray) -> FloatArray:
    """Recall at each false positive rate; at a vertical step its upper end."""
    recall, rate = share_of_all(hits), share_of_all(alarms)
    out = np.empty((len(hits), len(grid)))
    for place, (x, y) in enumerate(zip(rate, recall, strict=True)):
        x, y = np.r_[0.0, x], np.r_[0.0, y]
        after = np.minimum(np.searchsorted(x, grid, side="right"), len(x) - 1)
        before = np.maximum(np.searchsorted(x, grid, side="right") - 1, 0)
        width = x[after] - x[before]
        share = np.divide(grid - x[before], width, out=np.zeros(len(grid)), where=width > 0)
        out[place] = y[before] + share * (y[after] - y[before])
    return np.where(np.isnan(recall[:, -1:] + rate[:, -1:]), np.nan, out)


def _precision_on(hits: FloatArray, alarms: FloatArray, grid: FloatArray) -> FloatArray:
    """Precision at the highest threshold that reaches each recall."""
    recall, precision = share_of_all(hits), divide(hits, hits + alarms, 0.0)
    out = np.empty((len(hits), len(grid)))
    for place, (x, y) in enumerate(zip(recall, precision, strict=True)):
        # The curve begins where the first positive is found, not at a recall of 0.
        at = np.searchsorted(x, np.maximum(grid - 1e-12, 1e-12), side="left")
        out[place] = y[np.minimum(at, len(y) - 1)]
    return np.where(np.isnan(recall[:, -1:]), np.nan, out)


@dataclass(frozen=True)
class _Points:
    """The thresholds that are chosen, and the counts behind what they reach.

    Weights count in units of their mean, so that a sample is one trial.
    """

    wish: str
    value: float
    scores: FloatArray
    unit: float

    def row(
        self, ordered: Descending, sampled: _Sampled, confidence_level: float
    ) -> dict[str, object]:
        """Values at the chosen threshold, with their intervals."""
        whole = _from_nothing(ordered.counts(sampled.whole))
        observed = self.at(whole, self.chosen(*whole))
        drawn, checked, thresholds = [], [], []
        for weights in sampled.weights():
            resampled = _from_nothing(ordered.counts(weights))
            chosen = self.chosen(*resampled)
            drawn.append(self.at(resampled, chosen))
            checked.append(self.at(whole, chosen))
            thresholds.append(self.thresholds(chosen))
        count, trials = (np.vstack(parts) for parts in zip(*drawn, strict=True))
        of_whole = tuple(np.vstack(parts) for parts in zip(*checked, strict=True))
        low, high = chosen_interval(
            (observed[0][0], observed[1][0]), (count, trials), (of_whole[0], of_whole[1]),
            confidence_level,
        )  # fmt: skip
        limits = percentile_interval(
            np.concatenate(thresholds)[:, None], confidence_level=confidence_level
        )
        found = np.r_[self.thresholds(self.chosen(*whole)), divide(*observed)[0]]
        ends = np.r_[limits.low, low], np.r_[limits.high, high]
        row: dict[str, object] = {}
        for place, name in enumerate(_POINT):
            row[name] = found[place]
            for side, end in zip(("low", "high"), ends, strict=True):
                row[f"{name}_{side}"] = np.nan if np.isnan(found[place]) else end[place]
        row["n_undefined"] = int(np.isnan(divide(count, trials)).any(axis=1).sum())
        return row

    def chosen(self, hits: FloatArray, alarms: FloatArray) -> IntArray:
        """Column of the threshold that each row chooses; -1 where none reaches what is wanted."""
        if self.wish == "threshold":
            reached = np.broadcast_to(np.r_[np.inf, self.scores] >= self.value, hits.shape)
        else:
            reached = {
                "recall": share_of_all(hits) >= self.value - 1e-12,
                "precision": divide(hits, hits + alarms) >= self.value - 1e-12,
                "false_positive_rate": share_of_all(alarms) <= self.value + 1e-12,
            }[self.wish] & (np.arange(hits.shape[1]) > 0)
        last = reached.shape[1] - 1 - reached[:, ::-1].argmax(axis=1)
        column = reached.argmax(axis=1) if self.wish == "recall" else last
        return np.where(reached.any(axis=1), column, -1)

    def at(
        self, counts: tuple[FloatArray, FloatArray], chosen: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        """Counts and trials of precision, recall and false positive rate at chosen columns."""
        hits, alarms = counts
        rows = np.arange(len(chosen)) if len(hits) > 1 else 0
        right, wrong = hits[rows, chosen], alarms[rows, chosen]
        count = np.stack([right, right, wrong], axis=1).astype(np.float64)
        trials = np.stack(
            np.broadcast_arrays(right + wrong, hits[:, -1], alarms[:, -1]), axis=1
        ).astype(np.float64)
        count[chosen < 0] = trials[chosen < 0] = np.nan
        return count / self.unit, trials / self.unit

    def thresholds(self, chosen: IntArray) -> FloatArray:
        """The thresholds themselves; the one that was given, if one was."""
        if self.wish == "threshold":
            return np.full(len(chosen), self.value)
        return np.where(chosen < 0, np.nan, np.r_[np.inf, self.scores][chosen])


def _from_nothing(counts: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Counts with a threshold above every score in front, which finds nothing."""
    hits, alarms = (np.insert(part, 0, 0, axis=1) for part in counts)
    return hits, alarms
