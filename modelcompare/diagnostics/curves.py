"""ROC and precision-recall curves with bootstrap bands, and operating points with intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from modelcompare.arrays import FloatArray
from modelcompare.checks import class_code
from modelcompare.engine.evaluation import Evaluation
from modelcompare.intervals import percentile_interval
from modelcompare.metrics import resolve_metrics
from modelcompare.metrics.base import divide
from modelcompare.metrics.ranking import Descending
from modelcompare.predictions import Predictions
from modelcompare.report.result import Result
from modelcompare.report.tables import Column, Table, interval_column
from modelcompare.resampling import BootstrapWeights, RngLike, seed_sequence
from modelcompare.words import CurveKind, check_choice, check_count, check_fraction, signature

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_GRID = 101


@dataclass(frozen=True)
class CurveResult(Result):
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
    label
        The positive class.
    share : float
        Of the positive class: the precision of chance.
    """

    points: pd.DataFrame = field(repr=False)
    band: pd.DataFrame = field(repr=False)
    kind: CurveKind
    label: Any
    share: float
    confidence_level: float

    stem: ClassVar[str] = "curve"

    @property
    def signature(self) -> str:
        level = f"{self.confidence_level:g}"
        return signature("curve", {"kind": self.kind, "label": self.label, "level": level})

    def tables(self) -> dict[str, Table]:
        x, y = ("false positive rate", "recall") if self.kind == "roc" else ("recall", "precision")
        tenths = (self.band["x"] * 10).round(6)
        columns = [
            Column("model"), Column(x, "setting", ["x"]), Column(y, "estimate", ["y"]),
            interval_column(self.confidence_level),
        ]  # fmt: skip
        title = f"{x[0].upper()}{x[1:]} and {y}, positive class {self.label}"
        return {"curve": Table(title, columns, self.band[tenths % 1 == 0], decimals=3)}

    def frames(self) -> dict[str, pd.DataFrame]:
        return {"points": self.points, "band": self.band}

    def plot(self) -> Figure:
        """Draw all models' curves in one square, with their bands."""
        from modelcompare.report.diagnostic_figures import plot_curve

        return plot_curve(self)


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
        Models with probabilities.
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
    check_choice("kind", kind, CurveKind)
    check_fraction("confidence_level", confidence_level)
    sampled = _Sampled(predictions, label, n_resamples, rng)
    grid = np.linspace(0, 1, _GRID)
    on_grid = _roc_on if kind == "roc" else _precision_on
    points, bands = [], []
    for model, ordered, scores in sampled.models():
        hits, alarms = ordered.counts(sampled.whole)
        points.append(pd.DataFrame({
            "model": model, "threshold": scores, "recall": _share(hits)[0],
            "false_positive_rate": _share(alarms)[0], "precision": divide(hits, hits + alarms)[0],
        }))  # fmt: skip
        draws = np.vstack([on_grid(*ordered.counts(w), grid) for w in sampled.weights()])
        interval = percentile_interval(draws, confidence_level=confidence_level)
        bands.append(pd.DataFrame({
            "model": model, "x": grid, "y": on_grid(hits, alarms, grid)[0], "ci_low": interval.low,
            "ci_high": interval.high,
        }))  # fmt: skip
    return CurveResult(
        pd.concat(points, ignore_index=True), pd.concat(bands, ignore_index=True), kind,
        sampled.label, float(sampled.whole[0] @ sampled.positive / sampled.whole.sum()),
        confidence_level,
    )  # fmt: skip


def operating_point(
    predictions: Predictions, *, precision: float | None = None, recall: float | None = None,
    false_positive_rate: float | None = None, threshold: float | None = None, label: Any = None,
    n_resamples: int = 9999, confidence_level: float = 0.95, rng: RngLike = 0,
) -> pd.DataFrame:  # fmt: skip
    """Threshold that reaches a wanted precision, recall or false positive rate, with intervals.

    Of all thresholds that reach the wanted precision, or keep the false positive rate, the lowest
    is taken (most recall); of those that reach the wanted recall the highest. Each resample chooses
    anew, so intervals include the uncertainty of the choice; what the chosen threshold reaches on
    the same samples is optimistic all the same. Choose it on other data and pass it as `threshold`
    to learn what it is worth.

    Parameters
    ----------
    predictions : Predictions
        Models with probabilities.
    precision, recall, false_positive_rate, threshold : float
        Exactly one: what is wanted, or a threshold that is given.
    label : label, optional
        The positive class; the second of two by default.
    n_resamples, confidence_level, rng
        Of the percentile intervals.

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
    check_fraction("confidence_level", confidence_level)
    wishes = {
        "precision": precision, "recall": recall, "false_positive_rate": false_positive_rate,
        "threshold": threshold,
    }  # fmt: skip
    given = {name: value for name, value in wishes.items() if value is not None}
    if len(given) != 1:
        found = ", ".join(given) or "none"
        raise ValueError(f"give exactly one of {', '.join(wishes)}; got {found}.")
    ((wish, value),) = given.items()
    if not 0 <= value <= 1:
        raise ValueError(f"`{wish}` must be in [0, 1], got {value:g}.")
    sampled = _Sampled(predictions, label, n_resamples, rng)
    rows = []
    for model, ordered, scores in sampled.models():
        # A threshold of 0.7 means the 0.7 of single precision where scores have that.
        said = predictions.probabilities(model).dtype.type(value) if wish == "threshold" else value
        choose = _chooser(wish, float(said), scores)
        point = choose(*ordered.counts(sampled.whole))[0]
        draws = np.vstack([choose(*ordered.counts(weights)) for weights in sampled.weights()])
        interval = percentile_interval(draws, confidence_level=confidence_level)
        row: dict[str, object] = {"model": model}
        for place, name in enumerate(_POINT):
            row[name] = point[place]
            row[f"{name}_low"], row[f"{name}_high"] = interval.low[place], interval.high[place]
        row["n_undefined"] = int(np.isnan(draws).any(axis=1).sum())
        rows.append(row)
    return pd.DataFrame(rows)


_POINT = ("threshold", "precision", "recall", "false_positive_rate")


class _Sampled:
    """Models' scores for one class, and the resamples that they share."""

    def __init__(
        self, predictions: Predictions, label: Any, n_resamples: int, rng: RngLike
    ) -> None:
        check_count("n_resamples", n_resamples)
        metrics = resolve_metrics("average_precision_macro", predictions)
        evaluation = Evaluation(predictions, metrics, collapse=False)
        if label is None and predictions.labels is not None and predictions.n_classes == 2:
            label = predictions.labels.tolist()[1]
        self.predictions = predictions
        self.label = label
        self.code = class_code(predictions.labels, label)
        self.positive = np.asarray(predictions.codes) == self.code
        self._evaluation = evaluation
        self._draws = BootstrapWeights(evaluation.units, n_resamples, seed_sequence(rng))
        self.whole = evaluation.per_sample(np.ones((1, evaluation.units.n_units)))

    def models(self) -> Iterator[tuple[str, Descending, FloatArray]]:
        """Name of each model, its samples in falling order, and its distinct scores."""
        for model in self.predictions.models:
            scores = self.predictions.probabilities(model)[:, self.code].astype(np.float64)
            ordered = Descending.of(scores, self.positive)
            yield model, ordered, scores[ordered.order][ordered.ends]

    def weights(self) -> Iterator[FloatArray]:
        """Blocks of resamples, as weights of the samples; the same for every model."""
        return map(self._evaluation.per_sample, self._draws.blocks())


def _share(counts: FloatArray) -> FloatArray:
    return divide(counts, counts[:, -1:])


def _roc_on(hits: FloatArray, alarms: FloatArray, grid: FloatArray) -> FloatArray:
    """Recall at each false positive rate; at a vertical step its upper end."""
    recall, rate = _share(hits), _share(alarms)
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
    recall, precision = _share(hits), divide(hits, hits + alarms, 0.0)
    out = np.empty((len(hits), len(grid)))
    for place, (x, y) in enumerate(zip(recall, precision, strict=True)):
        # The curve begins where the first positive is found, not at a recall of 0.
        at = np.searchsorted(x, np.maximum(grid - 1e-12, 1e-12), side="left")
        out[place] = y[np.minimum(at, len(y) - 1)]
    return np.where(np.isnan(recall[:, -1:]), np.nan, out)


def _chooser(
    wish: str, value: float, scores: FloatArray
) -> Callable[[FloatArray, FloatArray], FloatArray]:
    """Function of hits and alarms (n_resamples, n_scores) that gives the chosen points."""

    def choose(hits: FloatArray, alarms: FloatArray) -> FloatArray:
        recall, rate = _share(hits), _share(alarms)
        precision = divide(hits, hits + alarms)
        if wish == "threshold":
            reached = np.broadcast_to(scores >= value, hits.shape)
        elif wish == "recall":
            reached = recall >= value - 1e-12
        elif wish == "precision":
            reached = precision >= value - 1e-12
        else:
            reached = rate <= value + 1e-12
        first = reached.argmax(axis=1)
        last = reached.shape[1] - 1 - reached[:, ::-1].argmax(axis=1)
        chosen = (first if wish == "recall" else last)[:, None]
        parts = [np.broadcast_to(scores, hits.shape), precision, recall, rate]
        points = np.hstack([np.take_along_axis(part, chosen, axis=1) for part in parts])
        points[~reached.any(axis=1)] = np.nan
        if wish == "threshold":
            # A threshold above every score finds nothing, rightly or wrongly.
            points[:, 2:] = np.where(reached.any(axis=1, keepdims=True), points[:, 2:], 0.0)
            points[:, 0] = value
        return points

    return choose
